// FALSE(unreach-call)
// The inner activation's check fails before the outer ones go on: what holds behind the call does not excuse it.
#include <assert.h>

extern unsigned __VERIFIER_nondet_uint(void);
unsigned g;

static void down(unsigned n) {
    assert(g < 3);
    g++;
    if (n > 0) down(n - 1);
    if (g > 3) g = 3;
}

int main(void) {
    down(__VERIFIER_nondet_uint());
    return 0;
}
