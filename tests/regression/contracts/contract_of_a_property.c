// TRUE
// FALSE(no-overflow) property=no-overflow
// A contract that holds where the property's checks are not looked at says nothing about them.
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

static int next(int x) {
    int y = x + 1;
    return y > 100 || y < -100 ? 0 : y;
}

int main(void) {
    int x = next(next(__VERIFIER_nondet_int()));
    assert(x >= -100 && x <= 100);
    return 0;
}
