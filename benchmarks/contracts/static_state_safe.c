// TRUE
// A static variable keeps the state between calls: equal arguments, other results.
#include <assert.h>

extern unsigned __VERIFIER_nondet_uint(void);

static unsigned take(unsigned k) {
    static unsigned served;
    while (k > 0) {
        served++;
        k--;
    }
    return served;
}

int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    unsigned first = take(n), second = take(n);
    assert(second - first == n);
    return 0;
}
