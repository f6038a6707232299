// TRUE model=ILP32,LP64
#include <assert.h>
#include <stddef.h>
struct item { char tag; int value; };
int main(void) {
    struct item items[3] = {{'a', 1}, {'b', 2}, {'c', 3}};
    int *value = &items[1].value;
    struct item *owner = (struct item *)((char *)value - offsetof(struct item, value));
    assert(owner == items + 1 && owner->tag == 'b');
    assert(&items[2] - items == 2);
    assert((unsigned long)&items[1] - (unsigned long)items == sizeof(struct item));
    return 0;
}
