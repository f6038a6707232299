// TRUE
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int n = __VERIFIER_nondet_int();
    _Bool b = n;
    assert(b == (n != 0));
    b += 5;
    assert(b == 1);
    _Bool half = 0.5;
    assert(half);
    return 0;
}
