// TRUE or UNKNOWN property=memory-safety timeout=15
// FALSE(valid-deref) property=memory-safety define=USED timeout=60
// FALSE(valid-memtrack) property=memory-safety define=LOST timeout=60
// FALSE(valid-deref) property=memory-safety define=TWICE timeout=60
// A list that grows at its end; the first case is proved in about 20 s of computing.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct cell { int data; struct cell *next; };

int main(void) {
    struct cell *head = 0, *last = 0;
    while (__VERIFIER_nondet_int()) {
        struct cell *c = malloc(sizeof *c);
        if (!c) break;
        c->data = __VERIFIER_nondet_int();
        c->next = 0;
        if (last) last->next = c; else head = c;
        last = c;
    }
    while (head) {
        struct cell *n = head->next;
#ifdef USED
        free(head);
        head = head->next;
#elif defined LOST
        if (head->data != 5) free(head);
        head = n;
#elif defined TWICE
        free(head);
        if (n && !n->next) free(n);
        head = n;
#else
        free(head);
        head = n;
#endif
    }
    return 0;
}
