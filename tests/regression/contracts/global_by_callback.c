// FALSE(unreach-call)
// The first call's function leaves the global alone, the second one's does not.
#include <assert.h>

extern unsigned __VERIFIER_nondet_uint(void);
unsigned g, h;

static void quiet(void) { h++; }
static void loud(void) { g++; }

static void each(unsigned n, void (*action)(void)) {
    while (n > 0) {
        action();
        n--;
    }
}

int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    each(n, quiet);
    assert(g == 0);
    each(n, loud);
    assert(g == 0);
    return 0;
}
