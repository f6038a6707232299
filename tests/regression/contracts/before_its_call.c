// FALSE(unreach-call)
// What a contract says holds behind the call: x == 7 never gets there, and fails in front of it.
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

static int halve(int x) {
    while (x == 7) {
    }
    return x / 2;
}

int main(void) {
    int x = __VERIFIER_nondet_int();
    assert(x != 7);
    return halve(x) == 3;
}
