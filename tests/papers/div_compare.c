// TRUE
// compare and main of the dynamic inference paper, figure 2(a), for inputs whose negation exists.
#include <assert.h>

extern unsigned __VERIFIER_nondet_uint(void);

static int sign(int a) { return a > 0 ? 1 : a < 0 ? -1 : 0; }
static int absolute(int a) { return a < 0 ? -a : a; }

static int compare(int a, int b) {
    if (sign(a) == sign(b)) {
        if (absolute(a) > absolute(b))
            return a;
        else
            return b;
    }
    if (a > b)
        return a;
    else
        return b;
}

int main(void) {
    unsigned x = __VERIFIER_nondet_uint();
    if (x > 0x7fffffffu)
        return 0;
    assert(compare((int)x, -(int)x) == (int)x);
    return 0;
}
