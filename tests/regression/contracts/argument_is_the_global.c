// FALSE(unreach-call)
// *p is n behind the call, if p does not point to the global that is reset last.
#include <assert.h>

extern unsigned __VERIFIER_nondet_uint(void);
unsigned g;

static void set(unsigned *p, unsigned n) {
    *p = 0;
    while (n > 0) {
        *p += 1;
        n--;
    }
    g = 0;
}

int main(void) {
    unsigned n = __VERIFIER_nondet_uint() & 3, x;
    set(&x, n);
    assert(x == n && g == 0);
    set(&g, n);
    assert(g == n);
    return 0;
}
