/* Transcendental functions: C17 7.12.4 to 7.12.8. The value is APPROXIMATED by any double within the
   bounds that every implementation keeps; the exact results that Annex F (F.10) names are exact.
   errno and floating-point exceptions are not modelled. */
#include "kernel.h"

/* Maps any value into a range, never to a NaN. */
static double within(double least, double most, double any) {
    if (any != any || any < least) return least;
    return any > most ? most : any;
}

#define SOME_DOUBLE __cp_nondet_double(APPROXIMATED)
#define INFINITE __builtin_inf()
#define NOT_A_NUMBER __builtin_nan("")

static _Bool is_infinite(double x) { return __builtin_fabs(x) == INFINITE; }

/* Results that keep a zero argument's sign (sin, tan, asin, ...: F.10.1, F.10.2, F.10.3.8). */
static double sine(double x) {
    if (x == 0 || x != x) return x;
    return is_infinite(x) ? NOT_A_NUMBER : within(-1, 1, SOME_DOUBLE);
}

static double cosine(double x) {
    if (x == 0) return 1;
    if (x != x) return x;
    return is_infinite(x) ? NOT_A_NUMBER : within(-1, 1, SOME_DOUBLE);
}

static double tangent(double x) {
    if (x == 0 || x != x) return x;
    return is_infinite(x) ? NOT_A_NUMBER : within(-__DBL_MAX__, __DBL_MAX__, SOME_DOUBLE);
}

/* Any base: 1 at 0, no value below 0, 0 and infinity at the infinities (F.10.3.1). */
static double exponential(double x) {
    if (x == 0) return 1;
    if (x != x) return x;
    if (is_infinite(x)) return x > 0 ? x : 0;
    return within(0, INFINITE, SOME_DOUBLE);
}

/* Any base: 0 at 1, a NaN below 0, minus infinity at 0 (F.10.3.7). */
static double logarithm(double x) {
    if (x == 1) return 0;
    if (x != x || x == INFINITE) return x;
    if (x == 0) return -INFINITE;
    return x < 0 ? NOT_A_NUMBER : within(-2000, 2000, SOME_DOUBLE);
}

/* F.10.4.4 as far as it names exact results. */
static double power(double x, double y) {
    if (y == 0 || x == 1) return 1;
    if (x != x || y != y) return NOT_A_NUMBER;
    if (y == 1) return x;
    return SOME_DOUBLE;
}

static double tangent_angle(double y, double x) {
    if (x != x || y != y) return NOT_A_NUMBER;
    return within(-0x1.921fb6p+1, 0x1.921fb6p+1, SOME_DOUBLE); /* pi, rounded up as a float may be */
}

static double hypotenuse(double x, double y) {
    if (is_infinite(x) || is_infinite(y)) return INFINITE;
    if (x != x || y != y) return NOT_A_NUMBER;
    if (x == 0) return __builtin_fabs(y);
    if (y == 0) return __builtin_fabs(x);
    return within(0, INFINITE, SOME_DOUBLE);
}

static double transcendental(double x) { return x != x ? x : SOME_DOUBLE; }

/* Each function in double and float: C17 7.12.4.4 sin, 7.12.6.1 exp and so on. */
#define OF_ONE(name, model) \
    double name(double x) { return model(x); } \
    float name##f(float x) { return (float)model(x); }
#define OF_TWO(name, model) \
    double name(double x, double y) { return model(x, y); } \
    float name##f(float x, float y) { return (float)model(x, y); }

OF_ONE(sin, sine)
OF_ONE(cos, cosine)
OF_ONE(tan, tangent)
OF_ONE(exp, exponential)
OF_ONE(exp2, exponential)
OF_ONE(exp10, exponential)
OF_ONE(log, logarithm)
OF_ONE(log2, logarithm)
OF_ONE(log10, logarithm)
OF_TWO(pow, power)
OF_TWO(atan2, tangent_angle)
OF_TWO(hypot, hypotenuse)
OF_ONE(asin, transcendental)
OF_ONE(acos, transcendental)
OF_ONE(atan, transcendental)
OF_ONE(sinh, transcendental)
OF_ONE(cosh, transcendental)
OF_ONE(tanh, transcendental)
OF_ONE(asinh, transcendental)
OF_ONE(acosh, transcendental)
OF_ONE(atanh, transcendental)
OF_ONE(expm1, transcendental)
OF_ONE(log1p, transcendental)
OF_ONE(cbrt, transcendental)
OF_ONE(erf, transcendental)
OF_ONE(erfc, transcendental)
OF_ONE(lgamma, transcendental)
OF_ONE(tgamma, transcendental)

/* sincos: GNU. */
void sincos(double x, double *sine_of_x, double *cosine_of_x) {
    *sine_of_x = sine(x);
    *cosine_of_x = cosine(x);
}

void sincosf(float x, float *sine_of_x, float *cosine_of_x) {
    *sine_of_x = (float)sine(x);
    *cosine_of_x = (float)cosine(x);
}
