// TRUE model=ILP32,LP64 prepare=default,none
// FALSE(unreach-call) define=BUG model=ILP32,LP64 prepare=none,default
// Complex numbers: parts, products and quotients, also those that clang leaves to its library.
#include <complex.h>
extern void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)

int main(void) {
    double complex z = 1 + 2 * I, w = 3 - I;
    double complex p = z * w, q = z / (1 + I);
    CHECK(creal(p) == 5 && cimag(p) == 5);
    CHECK(creal(q) == 1.5 && cimag(q) == 0.5);
    CHECK(~z == conj(z) && __imag__ z == 2);
    float complex f = ((float complex)z * (float complex)w) / 2.0f;
    CHECK(crealf(f) == 2.5f);
    z *= __builtin_inf() + 0 * I;
#ifdef BUG
    CHECK(cimag(z) < 1);
#else
    CHECK(cimag(z) == __builtin_inf());
#endif
    return 0;
}
