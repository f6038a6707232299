// FALSE(unreach-call)
// Most large x end the program or loop for ever, and never come back from the call; one does.
#include <assert.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

static void small_only(int x) {
    if (x > 100000) exit(0);
    while (x > 10 && x != 4242) {
    }
}

int main(void) {
    int x = __VERIFIER_nondet_int();
    small_only(x);
    assert(x <= 10);
    return 0;
}
