// TRUE
// The callee changes a global by its name and what its parameter points to, which may be that global.
#include <assert.h>

extern unsigned __VERIFIER_nondet_uint(void);

unsigned g;

static void bump(unsigned *p, unsigned n) {
    while (n > 0) {
        *p += 1;
        g += 1;
        n--;
    }
}

int main(void) {
    unsigned n = __VERIFIER_nondet_uint(), m = __VERIFIER_nondet_uint(), x = 0;
    bump(&x, n);
    assert(x == n && g == n);
    bump(&g, m);
    assert(g == n + 2 * m);
    return 0;
}
