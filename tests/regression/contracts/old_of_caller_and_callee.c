// FALSE(unreach-call)
// Two activations of one function have two values at entry: by the caller's, g == old(g) + 1 would be kept by every call.
#include <assert.h>

extern unsigned __VERIFIER_nondet_uint(void);
unsigned g;

static void count(unsigned n) {
    if (n == 0) {
        g++;
        return;
    }
    g++;
    count(n - 1);
}

int main(void) {
    unsigned start = __VERIFIER_nondet_uint();
    g = start;
    count(__VERIFIER_nondet_uint());
    assert(g == start + 1);
    return 0;
}
