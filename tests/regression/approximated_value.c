// UNKNOWN(UNSUPPORTED) model=ILP32,LP64 prepare=default,none timeout=20
// TRUE define=ANY
// FALSE(unreach-call) define=ELSEWHERE
// FALSE(unreach-call) define=PRINTED
/* A sine is any number to the model: what hangs on which is not decided, what does not is. */
#include <math.h>
#include <stdio.h>
extern double __VERIFIER_nondet_double(void);
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
static double kept;
int main(void) {
    double x = __VERIFIER_nondet_double(), y = sin(x);
#ifdef ELSEWHERE
    kept = y * 2;
    if (__VERIFIER_nondet_int() == 7)
        reach_error();
#elif defined PRINTED
    printf("%f\n", y);
    if (x == 3.0)
        reach_error();
#elif defined ANY
    int n = y > 0 ? 1 : 2;
    if (n == 3)
        reach_error();
#else
    if (x == 1 && y == 0.5)
        reach_error();
#endif
    return 0;
}
