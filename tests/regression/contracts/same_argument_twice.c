// FALSE(unreach-call)
// What holds of different variables (*p is the sum, *q as before) does not hold where both are one.
#include <assert.h>

extern unsigned __VERIFIER_nondet_uint(void);

static void add(unsigned *p, const unsigned *q, unsigned n) {
    while (n > 0) {
        *p += *q;
        n--;
    }
}

int main(void) {
    unsigned n = __VERIFIER_nondet_uint(), x = 1, y = 1, z = 1;
    if (n > 4) return 0;
    add(&x, &y, n);
    assert(x == n + 1 && y == 1);
    add(&z, &z, n);
    assert(z == n + 1);
    return 0;
}
