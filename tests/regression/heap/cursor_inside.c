// TRUE or UNKNOWN property=memory-safety model=LP64 prepare=default timeout=15
// FALSE(valid-memtrack) property=memory-safety define=LOST model=LP64 prepare=default
// FALSE(valid-deref) property=memory-safety define=FREED model=LP64 prepare=default
// FALSE(valid-deref) property=memory-safety define=BESIDE model=LP64 prepare=default
// A cursor that points to where the next pointer of a node is, not to its start: proved in 12 s of computing.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node {
    long value;
    struct node *next;
};
int main(void) {
    struct node *list = malloc(sizeof *list), *it;
    if (!list)
        return 0;
    list->next = 0;
    while (__VERIFIER_nondet_int()) {
        struct node **at = &list->next;
        while (*at && __VERIFIER_nondet_int())
            at = &(*at)->next;
        it = malloc(sizeof *it);
        if (!it)
            break;
        it->next = *at;
        *at = it;
#if defined LOST
        it->next = 0;
#elif defined FREED
        free(it);
#elif defined BESIDE
        at[1] = 0;
#endif
    }
    while (list) {
        it = list->next;
        free(list);
        list = it;
    }
    return 0;
}
