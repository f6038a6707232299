// TRUE
// loopf of the inertial refinement paper, on the inputs for which it holds.
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

static void loopf(int n) {
    int i = 0, j = 0;
    while (i < n) {
        j = j + 2 * i;
        i++;
    }
    assert(n >= 0 && j < 2 * n);
}

int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n > 0 && n < 3)
        loopf(n);
    return 0;
}
