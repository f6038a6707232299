// FALSE(unreach-call)
// TRUE define=SMALL
// FALSE(unreach-call) engines=summaries
// TRUE define=SMALL engines=summaries
// Dynamic inference paper, figure 2(a) as printed. From INT_MAX + 1 on the argument a is negative and -x is as an int the
// larger one, so that the assertion fails (first for x == 0x80000001: compare gives INT_MAX); up to INT_MAX it holds.
#include <assert.h>

extern unsigned __VERIFIER_nondet_uint(void);

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
    unsigned int x = __VERIFIER_nondet_uint();
#ifdef SMALL
    if (x > 0x7fffffffu) return 0;
#endif
    assert(compare(x, -x) == x);
    return 0;
}
