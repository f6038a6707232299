// TRUE
// The global after the recursive calls is the one before them and the argument.
#include <assert.h>

extern unsigned __VERIFIER_nondet_uint(void);

unsigned g;

static void count(unsigned n) {
    if (n == 0) return;
    g++;
    count(n - 1);
}

int main(void) {
    unsigned start = __VERIFIER_nondet_uint(), n = __VERIFIER_nondet_uint();
    g = start;
    count(n);
    assert(g == start + n);
    return 0;
}
