// FALSE(unreach-call) model=ILP32,LP64 prepare=default,none
// FALSE(unreach-call) model=ILP32,LP64 prepare=none,default define=BUG=1
// FALSE(unreach-call) model=ILP32,LP64 prepare=default,none define=BUG=2
// FALSE(unreach-call) model=ILP32,LP64 prepare=none,default define=BUG=3
// UNKNOWN(UNSUPPORTED) model=ILP32,LP64 prepare=default,none define=BUG=4 timeout=20
// UNKNOWN(UNSUPPORTED) model=ILP32,LP64 prepare=none,default define=BUG=5 timeout=20
// UNKNOWN(UNSUPPORTED) model=ILP32,LP64 prepare=default,none define=BUG=6 timeout=20 asm=outputs-only
// FALSE(unreach-call) model=ILP32,LP64 prepare=none,default define=BUG=7 asm=outputs-only
// TRUE model=ILP32,LP64 prepare=default,none define=SAFE asm=outputs-only
// A sine stands with the host's value; what an instruction of assembly gives nobody knows.
#define _GNU_SOURCE
#include <math.h>
extern double __VERIFIER_nondet_double(void);
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
    double x = __VERIFIER_nondet_double(), s, c;
    int bad = 0, n = __VERIFIER_nondet_int(), out = n;
#if BUG == 1
    sincos(1.0, &s, &c);
    bad = s > 0.84 && s < 0.85 && c > 0.54 && c < 0.55 && sinf(1.0f) == 0x1.aed548p-1f;
#elif BUG == 2
    bad = x > 1.5 && x < 2 && pow(x, 2) > 2.2 && pow(x, 2) < 4;
#elif BUG == 3
    bad = exp(1) > 2.71828 && exp(1) < 2.71829 && hypot(3, 4) == 5 && log(0.5) < -0.69 && atan2(1, 1) < 0.8;
#elif BUG == 4
    bad = sin(1.0) > 0.85;
#elif BUG == 5
    bad = exp(1) == log(2);
#elif BUG == 6
    __asm__("inc %0" : "+r"(out));
    bad = out == n + 2;
#elif BUG == 7
    __asm__("inc %0" : "+r"(out));
    bad = n == 7;
#elif defined SAFE
    __asm__("inc %0" : "+r"(out));
    bad = sin(x) > 1 || out - out;
#else
    bad = sin(1.0) > 0.84;
#endif
    if (bad)
        reach_error();
    return 0;
}
