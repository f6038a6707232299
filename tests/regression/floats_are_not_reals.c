// FALSE(unreach-call)
#include <assert.h>
extern float __VERIFIER_nondet_float(void);
int main(void) {
    float x = __VERIFIER_nondet_float();
    if (x > 1.0f && x < 1e30f)
        assert(x + 1.0f > x);
    return 0;
}
