// FALSE(unreach-call) define=LIKELY
// TRUE
// Dynamic inference paper, figure 3: from compare(4, -4) == 4 the pair (a > b, ret == a) is likely, and is no contract: two
// negative arguments refute it, the smaller one is returned. What is left, (a > b, ret == a || ret == b), is one.
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

static int sign(int a) { return a > 0 ? 1 : a < 0 ? -1 : 0; }
static int abs(int a) { return (int)(a < 0 ? 0u - (unsigned)a : (unsigned)a); }

int compare(int a, int b) {
    if (sign(a) == sign(b)) {
        if (abs(a) > abs(b)) return a;
        else return b;
    }
    if (a > b) return a;
    else return b;
}

int main(void) {
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
    if (a > b) {
        int ret = compare(a, b);
#ifdef LIKELY
        assert(ret == a);
#else
        assert(ret == a || ret == b);
#endif
    }
    return 0;
}
