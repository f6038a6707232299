// TRUE model=ILP32,LP64 prepare=default,none
// FALSE(unreach-call) model=ILP32,LP64 prepare=none,default define=BUG
/* Pragmas for floats: contraction rounds twice, as nothing fuses; access to the environment changes no value. */
#include <assert.h>
#include <fenv.h>
#include <float.h>
#include <math.h>
extern double __VERIFIER_nondet_double(void);
extern int __VERIFIER_nondet_int(void);
typedef float lanes __attribute__((vector_size(8)));

static double contracted(double a, double b, double c) {
#pragma STDC FP_CONTRACT ON
    return a * b + c;
}
static lanes contracted_lanes(lanes a, lanes b) {
#pragma STDC FP_CONTRACT ON
    return a * b - a;
}
static double strict(double a, float b, int i, unsigned char c) {
#pragma STDC FENV_ACCESS ON
    double r = a * b + i / a - c;
    if (r < 0 || isnan(r) || r == a)
        r = -r;
    r = (float)r + (int)a + (unsigned char)b + floor(a) + sqrt(a) + fma(a, a, i) + fmod(a, 2) + rint(a);
    return r;
}
int main(void) {
#pragma STDC FP_CONTRACT ON
    int zero = __VERIFIER_nondet_int() & 0;
    double a = 1.0 + 0x1p-52, b = 1.0 - 0x1p-52, c = -1.0;
    assert(a * b + c == 0);
    assert(contracted(a, b, c + zero) == 0);
    assert(fma(a, b, c) == -0x1p-104);
    lanes u = {1.0f + 0x1p-23f, 2.0f}, v = contracted_lanes(u, u);
    assert(v[0] == 0x1p-23f && v[1] == 2.0f);
    assert(strict(4.0 + zero, 2.5f, 2, 3) == 7.5 + 4 + 2 + 4 + 2 + 18 + 0 + 4);
    double n = __VERIFIER_nondet_double();
    if (n != n) {
        double m = contracted(n, 1, 1);
        assert(m != m);
    }
    assert(FLT_ROUNDS == 1);
#ifdef BUG
    assert(contracted(a, b, c) != 0);
#endif
}
