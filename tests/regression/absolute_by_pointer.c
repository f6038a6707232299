// FALSE(no-overflow) property=no-overflow model=LP64,ILP32 prepare=default,none
#include <limits.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

static int absolute(int (*by)(int), int n) { return by(n); }

int main(void) {
    int n = __VERIFIER_nondet_int();
    return absolute(abs, n) == 3;
}
