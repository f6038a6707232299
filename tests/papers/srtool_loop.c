// FALSE(unreach-call)
// Assertions inside a loop body, as in the SRTool report's section on its verifier.
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int main(void) {
    unsigned x = 0;
    unsigned a = 1, b = 2;
    while (x < 10) {
        x = x + a;
        assert(x != 7);
        x = x + b;
    }
    return 0;
}
