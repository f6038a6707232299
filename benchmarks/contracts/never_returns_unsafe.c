// FALSE(unreach-call)
// One callee loops for ever for some arguments: behind its call there are only the others.
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int accepted;

static void refuse_negative(int x) {
    while (x < 0) {
    }
    accepted = x;
}

static int total(void) {
    int sum = 0;
    while (__VERIFIER_nondet_int()) {
        int x = __VERIFIER_nondet_int();
        if (x != -3) refuse_negative(x);
        sum = x / 2;
    }
    return sum;
}

int main(void) {
    int sum = total();
    assert(sum >= 0);
    return 0;
}
