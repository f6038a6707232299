// TRUE
// The slides' simple example of sign domains.
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int main(void) {
    int y = __VERIFIER_nondet_int();
    int x, z = 5;
    if (y == -2147483647 - 1 || y == 0)
        return 0;
    if (y > 0)
        x = z;
    else
        x = -y;
    assert(x > 0);
    return 0;
}
