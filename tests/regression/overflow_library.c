// TRUE property=no-overflow model=ILP32,LP64 prepare=default,none
// FALSE(no-overflow) property=no-overflow model=ILP32,LP64 prepare=none,default define=BUG=1
// FALSE(no-overflow) property=no-overflow model=ILP32,LP64 prepare=default,none define=BUG=2
// FALSE(no-overflow) property=no-overflow model=ILP32,LP64 prepare=none,default define=BUG=3
// The library's abs and div overflow as the operators do; checked arithmetic never does.
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
extern long __VERIFIER_nondet_long(void);
int main(void) {
    int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int(), r = 0;
    long l = __VERIFIER_nondet_long();
    short h = x;
    signed char c = y;
#if BUG == 1
    r = abs(x);
#elif BUG == 2
    l = labs(l);
#elif BUG == 3
    if (y != 0) r = div(x, y).quot;
#else
    if (x != INT_MIN) r = abs(x);
    if (l != LONG_MIN) l = labs(l);
    if (y > 0) r = div(x, y).quot;
    r = __builtin_add_overflow(x, y, &r) + __builtin_mul_overflow(x, y, &h);
    h++; h = -h; c += 127; c *= c; c = -c;
    if (y != 0 && y != -1) r = x / y + x % y;
#endif
    return r != 0;
}
