// FALSE(unreach-call)
// g == old(h) and h == old(g): one put in after the other says that both have the same value.
#include <assert.h>

extern unsigned __VERIFIER_nondet_uint(void);
unsigned g, h;

static void change_places(unsigned n) {
    unsigned kept = g;
    g = h;
    h = kept;
    if (n > 0) change_places(n - 1);
}

int main(void) {
    unsigned first = __VERIFIER_nondet_uint(), second = __VERIFIER_nondet_uint();
    g = first;
    h = second;
    change_places(__VERIFIER_nondet_uint());
    assert(g == h || g == first);
    return 0;
}
