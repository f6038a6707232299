// FALSE(unreach-call)
// No run comes back from the call, so anything is true behind it; what fails in front of it fails all the same.
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

static int serve(int x) {
    for (;;) x = __VERIFIER_nondet_int();
    return x;
}

static int start(int x) {
    assert(x != 12);
    return serve(x);
}

int main(void) { return start(__VERIFIER_nondet_int()); }
