// FALSE(unreach-call)
// The callee replaces a block of its caller by a new one, again and again.
#include <assert.h>
#include <stdlib.h>

extern unsigned __VERIFIER_nondet_uint(void);

static void renew(unsigned **place, unsigned n) {
    while (n > 0) {
        unsigned *made = malloc(sizeof *made);
        *made = n == 1 ? 0 : **place + 1;
        free(*place);
        *place = made;
        n--;
    }
}

int main(void) {
    unsigned *p = malloc(sizeof *p);
    unsigned n = __VERIFIER_nondet_uint(), start = __VERIFIER_nondet_uint();
    *p = start;
    renew(&p, n);
    assert(*p == start + n);
    free(p);
    return 0;
}
