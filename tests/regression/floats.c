// TRUE
#include <assert.h>
extern double __VERIFIER_nondet_double(void);
int main(void) {
    double x = __VERIFIER_nondet_double();
    assert(x == x || x != x);
    if (x >= 0.0 && x <= 1000.0) {
        int n = (int)x;
        assert(n >= 0 && n <= 1000);
        assert((float)n == n);
    }
    assert(0.1 + 0.2 != 0.3);
    assert(0.0 == -0.0 && 1.0 / 0.0 > 1e308);
    return 0;
}
