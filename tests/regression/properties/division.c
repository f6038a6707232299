// FALSE(division) property=division define=ZERO model=ILP32,LP64 prepare=default,none
// FALSE(division) property=division define=RANGE model=ILP32,LP64 prepare=default,none
// FALSE(division) property=division define=LIBRARY
// FALSE(division) property=division define=CONSTANT
// UNKNOWN(UNSUPPORTED) property=division define=FOLDED
// UNKNOWN(UNSUPPORTED) property=undefined define=FOLDED
// TRUE property=division define=FOLDED_AWAY
// TRUE property=division model=ILP32,LP64 prepare=default,none
// Quotients that do not exist: by 0, and of the least number by -1; sums wrap around, and shifts and floating numbers do
// not matter. What clang computes of constants is no instruction, and of the least number divided by -1 it says nothing.
#include <limits.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
extern long __VERIFIER_nondet_long(void);

int main(void) {
    int n = __VERIFIER_nondet_int();
    long m = __VERIFIER_nondet_long();
#if defined(ZERO)
    unsigned char c = n;
    return 7u % c;
#elif defined(RANGE)
    return m == 0 ? 0 : (int)(LONG_MIN % m);
#elif defined(LIBRARY)
    return n == 0 ? 0 : div(INT_MIN, n).rem;
#elif defined(CONSTANT)
    return n > 5 ? 1 / 0 : 2;
#elif defined(FOLDED)
    return n > 5 ? (-INT_MAX - 1) / -1 : 2;
#elif defined(FOLDED_AWAY)
    if (n > INT_MAX - 1 && n < 0)
        return (-INT_MAX - 1) / -1;
    return 3;
#else
    short s = (short)n;
    int k = n + 1;                    /* may wrap around: no matter */
    float f = 1.0f / (float)k;        /* may be infinite */
    int q = s / -1;                   /* in int: 32768 at most */
    int r = n != 0 && n != -1 ? (INT_MIN + s) / n : 1;
    unsigned u = (unsigned)n / ((unsigned)k | 1u);
    return (q + r > 3) + (f > 0) + (int)(u >> (k & 7)) + n % 3 + n / 3;
#endif
}
