// FALSE(valid-deref) property=memory-safety model=ILP32,LP64 prepare=none,default define=BUG
// TRUE property=memory-safety model=ILP32,LP64 prepare=default,none
#include <stddef.h>
struct list { struct list *next; };
struct item { int value; struct list link; int after; };
#define ITEM(p) ((struct item *)((char *)(p) - offsetof(struct item, link)))
int main(void) {
    struct item x = {1, {0}, 2}, y = {3, {0}, 4};
    struct list head = {&x.link};
    x.link.next = &y.link;
    y.link.next = &head;
    int sum = 0;
    struct list *p = head.next;
    for (int i = 0; i < 3; i++) {
        struct item *it = ITEM(p);
#ifdef BUG
        sum += it->value;
#else
        if (&it->link != &head)
            sum += it->value + it->after;
#endif
        p = p->next;
    }
    return sum;
}
