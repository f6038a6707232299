// FALSE(unreach-call) or UNKNOWN timeout=3
// The slides' predicate abstraction example: true over the integers, and wrong where x + y wraps around.
#include <assert.h>

extern _Bool __VERIFIER_nondet_bool(void);

int main(void) {
    int x = 1, y = 2;
    while (__VERIFIER_nondet_bool())
        x = x + y;
    assert(x > 0);
    return 0;
}
