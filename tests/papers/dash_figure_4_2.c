// FALSE(unreach-call)
// The block graph example, figure 4.2: x == y whenever the input fits into a char and is not 0.
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int x;

int main(void) {
    x = __VERIFIER_nondet_int();
    char y = x;
    while (y != 0) {
        assert(x != y);
        ++y;
    }
    return 0;
}
