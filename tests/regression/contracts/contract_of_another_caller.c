// FALSE(unreach-call)
// The first caller has checked what it hands over, and nobody who reads its contract has.
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

static int steps(int x) {
    int n = 0;
    while (x > 0) {
        x -= 10;
        n++;
    }
    return x == 0 ? n : -1;
}

static int careful(int x) { return x > 0 && x < 50 && x % 10 == 0 ? steps(x) : 1; }

int main(void) {
    assert(careful(__VERIFIER_nondet_int()) > 0);
    int x = __VERIFIER_nondet_int();
    if (x > 50) return 0;
    assert(steps(x) > 0);
    return 0;
}
