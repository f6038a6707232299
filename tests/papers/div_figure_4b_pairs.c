// FALSE(unreach-call) define=THREE_WAY
// TRUE define=THREE_WAY,EXACTLY
// TRUE define=NOT_NEGATIVE,EXACTLY
// TRUE define=POSITIVE,EXACTLY
// Dynamic inference paper, figure 4(b): its pairs asserted of compare. On machine words the second one is false: -INT_MIN is
// INT_MIN, which is no larger absolute value, so that compare(-1, INT_MIN) is -1; and compare(0, -1) is 0, unless sign(x) is
// x > 0. EXACTLY: the pairs fail for these arguments and for no others.
#include <assert.h>
#include <limits.h>

extern int __VERIFIER_nondet_int(void);

#if defined THREE_WAY
static int sign(int a) { return a > 0 ? 1 : a < 0 ? -1 : 0; }
#elif defined NOT_NEGATIVE
static int sign(int a) { return a >= 0; }
#elif defined POSITIVE
static int sign(int a) { return a > 0; }
#endif
static int abs(int a) { return (int)(a < 0 ? 0u - (unsigned)a : (unsigned)a); }

int compare(int a, int b) {
    if (sign(a) == sign(b)) {
        if (abs(a) > abs(b)) return a;
        else return b;
    }
    if (a > b) return a;
    else return b;
}

static int pairs_hold(int a, int b, int ret) {
    if (a > b && a > 0) return ret == a && (ret == a || ret == b);
    if (!(a > 0) && a > b) return ret == b && (ret == a || ret == b);
    return ret == a || ret == b;
}

static int known(int a, int b) {
#ifndef POSITIVE
    if (a == 0 && b < 0) return 1;
#endif
    return a <= 0 && a > b && b == INT_MIN;
}

int main(void) {
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
#ifdef EXACTLY
    assert(pairs_hold(a, b, compare(a, b)) == !known(a, b));
#else
    assert(pairs_hold(a, b, compare(a, b)));
#endif
    return 0;
}
