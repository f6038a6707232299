// TRUE
// Slide 73: no refinement ends. x is not null while the list is walked back to where it was begun.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

struct node {
    struct node *next;
};

int main(void) {
    struct node *x, *y, *t;
    x = malloc(sizeof(struct node));
    y = x;
    while (__VERIFIER_nondet_int()) {
        t = malloc(sizeof(struct node));
        t->next = x;
        x = t;
    }
    while (x != y) {
        if (!(x != 0))
            reach_error();
        x = x->next;
    }
    return 0;
}
