// FALSE(unreach-call)
// Each activation writes to a local of the one that called it, of the same name.
#include <assert.h>

extern unsigned __VERIFIER_nondet_uint(void);

static void depth(unsigned n, unsigned *result) {
    unsigned inner = 0;
    if (n > 0) depth(n - 1, &inner);
    *result = n == 2 ? inner : inner + 1;
}

int main(void) {
    unsigned n = __VERIFIER_nondet_uint(), result = 0;
    depth(n, &result);
    assert(result == n + 1);
    return 0;
}
