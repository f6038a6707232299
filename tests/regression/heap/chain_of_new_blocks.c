// TRUE or UNKNOWN property=memory-safety model=LP64 prepare=default timeout=15
// FALSE(valid-memtrack) property=memory-safety define=BROKEN model=LP64 prepare=default
// FALSE(valid-deref) property=memory-safety define=FREED model=LP64 prepare=default
// Five blocks that one round makes, each behind the next, are held by the last one: proved in 18 s of computing.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node {
    struct node *next;
};
static struct node *made(struct node *behind) {
    struct node *it = malloc(sizeof *it);
    if (!it)
        abort();
    it->next = behind;
    return it;
}
int main(void) {
    struct node *list = 0;
    while (__VERIFIER_nondet_int()) {
        list = made(made(list));
#ifdef BROKEN
        list->next->next = 0;
#endif
        list = made(made(made(list)));
#ifdef FREED
        free(list->next->next->next->next);
#endif
    }
    while (list) {
        struct node *following = list->next;
        free(list);
        list = following;
    }
    return 0;
}
