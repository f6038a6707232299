// TRUE
// Quotient and remainder are written to locals of the caller.
#include <assert.h>

extern unsigned __VERIFIER_nondet_uint(void);

static void divide(unsigned a, unsigned *quotient, unsigned *remainder) {
    unsigned q = 0;
    while (a >= 7) {
        a -= 7;
        q++;
    }
    *quotient = q;
    *remainder = a;
}

int main(void) {
    unsigned a = __VERIFIER_nondet_uint(), q, r;
    divide(a, &q, &r);
    assert(r < 7);
    assert(q * 7 + r == a);
    return 0;
}
