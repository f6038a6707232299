/* Rounding, sign and comparison of doubles and floats: C17 7.12.7.2, 7.12.9, 7.12.11, 7.12.12.
   The compiler's intrinsics are exact IEEE operations. Rounding is to nearest, ties to even: a program
   that changes the mode is UNSUPPORTED. Floating-point exceptions and errno are not modelled. */
#include "kernel.h"

/* fabs, floor, ceil, trunc, copysign: C17 7.12.7.2, 7.12.9.1, .2, .8, 7.12.11.1. */
double fabs(double x) { return __builtin_fabs(x); }
float fabsf(float x) { return __builtin_fabsf(x); }
double floor(double x) { return __builtin_elementwise_floor(x); }
float floorf(float x) { return __builtin_elementwise_floor(x); }
double ceil(double x) { return __builtin_elementwise_ceil(x); }
float ceilf(float x) { return __builtin_elementwise_ceil(x); }
double trunc(double x) { return __builtin_elementwise_trunc(x); }
float truncf(float x) { return __builtin_elementwise_trunc(x); }
double copysign(double x, double y) { return __builtin_copysign(x, y); }
float copysignf(float x, float y) { return __builtin_copysignf(x, y); }

/* round: C17 7.12.9.6; ties away from zero. rint, nearbyint: 7.12.9.4, .3; ties to even. */
double round(double x) { return __builtin_elementwise_round(x); }
float roundf(float x) { return __builtin_elementwise_round(x); }
double rint(double x) { return __builtin_elementwise_rint(x); }
float rintf(float x) { return __builtin_elementwise_rint(x); }
double nearbyint(double x) { return __builtin_elementwise_rint(x); }
float nearbyintf(float x) { return __builtin_elementwise_rint(x); }
double roundeven(double x) { return __builtin_elementwise_roundeven(x); }
float roundevenf(float x) { return __builtin_elementwise_roundeven(x); }

/* sqrt: C17 7.12.7.5; correctly rounded. fma: 7.12.13.1; rounded once. */
double sqrt(double x) { return __builtin_elementwise_sqrt(x); }
float sqrtf(float x) { return __builtin_elementwise_sqrt(x); }
double fma(double x, double y, double z) { return __builtin_elementwise_fma(x, y, z); }
float fmaf(float x, float y, float z) { return __builtin_elementwise_fma(x, y, z); }

/* The value of a whole number, or an arbitrary one where the type has none: unspecified, C17 7.12.9.7. */
static long as_long(double whole) {
    const double limit = (double)(1ULL << (8 * sizeof(long) - 1));
    if (whole >= -limit && whole < limit) return (long)whole;
    return (long)ANY_WORD(INPUT);
}

static long long as_long_long(double whole) {
    if (whole >= -0x1p63 && whole < 0x1p63) return (long long)whole;
    return (long long)__cp_nondet_i64(INPUT);
}

/* lround, llround, lrint, llrint: C17 7.12.9.7, .5. A float converts to double without loss. */
long lround(double x) { return as_long(__builtin_elementwise_round(x)); }
long lroundf(float x) { return as_long(__builtin_elementwise_round(x)); }
long long llround(double x) { return as_long_long(__builtin_elementwise_round(x)); }
long long llroundf(float x) { return as_long_long(__builtin_elementwise_round(x)); }
long lrint(double x) { return as_long(__builtin_elementwise_rint(x)); }
long lrintf(float x) { return as_long(__builtin_elementwise_rint(x)); }
long long llrint(double x) { return as_long_long(__builtin_elementwise_rint(x)); }
long long llrintf(float x) { return as_long_long(__builtin_elementwise_rint(x)); }
