// FALSE(unreach-call)
// The callee does not name the global that it changes.
#include <assert.h>

extern unsigned __VERIFIER_nondet_uint(void);
unsigned g, h;

static void count(unsigned *p, unsigned n) {
    while (n > 0) {
        *p += 2;
        n--;
    }
}

int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    count(&h, n);
    assert(g == 0);
    count(n > 5 ? &g : &h, n);
    assert(g == 0);
    return 0;
}
