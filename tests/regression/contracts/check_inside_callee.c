// FALSE(unreach-call)
// The check is two calls below; the contract of the outer one says that the result is not 5, as the check does.
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

static int checked(int x) {
    while (x > 100) x -= 100;
    assert(x != 5);
    return x;
}

static int outer(int x) {
    int y = checked(x);
    return y == 5 ? 6 : y;
}

int main(void) {
    assert(outer(__VERIFIER_nondet_int()) != 5);
    return 0;
}
