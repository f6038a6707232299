// TRUE
// One call has two pointers to different variables, the other has the same pointer twice.
#include <assert.h>

extern unsigned __VERIFIER_nondet_uint(void);

static void bump(unsigned *p, unsigned *q, unsigned n) {
    while (n > 0) {
        *p += 1;
        *q += 1;
        n--;
    }
}

int main(void) {
    unsigned n = __VERIFIER_nondet_uint(), x = 0, y = 0, z = 0;
    bump(&x, &y, n);
    assert(x == n && y == n);
    bump(&z, &z, n);
    assert(z == 2 * n);
    return 0;
}
