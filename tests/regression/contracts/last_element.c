// FALSE(unreach-call)
// All elements but one are zero: a fact about all of them has no proof, and what it would give is false.
#include <assert.h>

extern unsigned __VERIFIER_nondet_uint(void);

static void clear(int *a, unsigned n) {
    for (unsigned i = 0; i + 1 < n; i++) a[i] = 0;
}

int main(void) {
    int a[8];
    unsigned n = __VERIFIER_nondet_uint(), k = __VERIFIER_nondet_uint();
    if (n > 8 || k >= n) return 0;
    for (unsigned i = 0; i < 8; i++) a[i] = 1;
    clear(a, n);
    assert(a[k] == 0);
    return 0;
}
