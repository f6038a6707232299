// FALSE(unreach-call)
// The loop's head is where the function begins: there g has its old value at the first time only.
#include <assert.h>

extern int __VERIFIER_nondet_int(void);
unsigned g;

static void more(void) {
again:
    if (__VERIFIER_nondet_int()) {
        g++;
        goto again;
    }
}

int main(void) {
    more();
    more();
    assert(g == 0);
    return 0;
}
