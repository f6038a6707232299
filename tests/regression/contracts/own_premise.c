// FALSE(unreach-call)
// `down` gives what its own call gives, so that any claim about the result follows from itself; the last one gives 0 or less.
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

static int down(int n) {
    if (n > 0) return down(n - 1);
    return n;
}

int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n > 3) return 0;
    assert(down(n) > 0);
    return 0;
}
