// FALSE(unreach-call)
// The same for every unsigned x: above INT_MAX the int that compare gets is negative, its negation is larger.
#include <assert.h>

extern unsigned __VERIFIER_nondet_uint(void);

static int compare(int a, int b) { return a > b ? a : b; }

int main(void) {
    unsigned x = __VERIFIER_nondet_uint();
    assert(compare((int)x, (int)-x) == (int)x);
    return 0;
}
