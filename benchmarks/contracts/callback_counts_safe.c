// TRUE
// What the callee does to globals is what the function does that it is handed.
#include <assert.h>

extern unsigned __VERIFIER_nondet_uint(void);

unsigned hits, misses;

static void hit(void) { hits++; }
static void miss(void) {
    misses++;
}

static void each(unsigned n, void (*action)(void)) {
    while (n > 0) {
        action();
        n--;
    }
}

int main(void) {
    unsigned n = __VERIFIER_nondet_uint(), m = __VERIFIER_nondet_uint();
    each(n, hit);
    each(m, miss);
    assert(hits == n);
    assert(misses == m);
    return 0;
}
