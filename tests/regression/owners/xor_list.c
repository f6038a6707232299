// FALSE(valid-deref) property=memory-safety model=ILP32,LP64 prepare=none,default define=BUG
// TRUE property=memory-safety model=ILP32,LP64 prepare=default,none
#include <stdint.h>
#include <stdlib.h>
struct node { int value; uintptr_t link; };
static uintptr_t mix(struct node *a, struct node *b) { return (uintptr_t)a ^ (uintptr_t)b; }
int main(void) {
    struct node n[2], *last = malloc(sizeof *last);
    n[0].value = 1, n[1].value = 2, last->value = 3;
    n[0].link = mix(0, &n[1]);
    n[1].link = mix(&n[0], last);
    last->link = mix(&n[1], 0);
    struct node *before = 0, *here = &n[0];
    int sum = 0;
    for (int i = 0; i < 3; i++) {
        sum += here->value;
        struct node *next = (struct node *)(here->link ^ (uintptr_t)before);
        before = here;
        here = next;
    }
#ifdef BUG
    free(last);
    here = (struct node *)(n[1].link ^ (uintptr_t)&n[0]);
    sum += here->value;
    return sum;
#else
    free(before);
#endif
    return sum;
}
