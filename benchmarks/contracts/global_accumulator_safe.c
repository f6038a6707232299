// TRUE
// A global grows by the argument: its value before the call is in the contract.
#include <assert.h>

extern unsigned __VERIFIER_nondet_uint(void);

unsigned total;

static void add(unsigned n) {
    while (n > 0) {
        total += 1;
        n--;
    }
}

int main(void) {
    unsigned first = __VERIFIER_nondet_uint(), second = __VERIFIER_nondet_uint();
    total = 5;
    add(first);
    add(second);
    assert(total == first + second + 5);
    return 0;
}
