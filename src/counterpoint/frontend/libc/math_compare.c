/* Maximum, minimum, difference and classes: C17 7.12.3, 7.12.12; the functions behind the macros of
   glibc's and musl's headers. */
#include "kernel.h"

enum { NAN_CLASS, INFINITE_CLASS, ZERO_CLASS, SUBNORMAL_CLASS, NORMAL_CLASS }; /* FP_NAN ..., both libcs */

static _Bool is_negative(double x) { return __builtin_copysign(1.0, x) < 0; }

/* fmax, fmin: C17 7.12.12.2, .3. A NaN loses against a number. Of zeros with different signs the
   standard leaves the choice; here the positive is the greater, as in musl. */
static double greater(double x, double y) {
    if (x != x) return y;
    if (y != y) return x;
    if (x == y) return is_negative(x) ? y : x;
    return x < y ? y : x;
}

static double smaller(double x, double y) {
    if (x != x) return y;
    if (y != y) return x;
    if (x == y) return is_negative(x) ? x : y;
    return x < y ? x : y;
}

double fmax(double x, double y) { return greater(x, y); }
float fmaxf(float x, float y) { return (float)greater(x, y); }
double fmin(double x, double y) { return smaller(x, y); }
float fminf(float x, float y) { return (float)smaller(x, y); }

/* fdim: C17 7.12.12.1. */
double fdim(double x, double y) {
    if (x != x) return x;
    if (y != y) return y;
    return x > y ? x - y : 0;
}

float fdimf(float x, float y) {
    if (x != x) return x;
    if (y != y) return y;
    return x > y ? x - y : 0;
}

static const double largest = __DBL_MAX__, smallest_normal = __DBL_MIN__;
static const float largest_float = __FLT_MAX__, smallest_normal_float = __FLT_MIN__;

static int class_of(double x) {
    double size = __builtin_fabs(x);
    if (x != x) return NAN_CLASS;
    if (size > largest) return INFINITE_CLASS;
    if (size == 0) return ZERO_CLASS;
    return size < smallest_normal ? SUBNORMAL_CLASS : NORMAL_CLASS;
}

static int class_of_float(float x) {
    float size = __builtin_fabsf(x);
    if (x != x) return NAN_CLASS;
    if (size > largest_float) return INFINITE_CLASS;
    if (size == 0) return ZERO_CLASS;
    return size < smallest_normal_float ? SUBNORMAL_CLASS : NORMAL_CLASS;
}

/* fpclassify, isnan, isinf, isfinite, isnormal, signbit: C17 7.12.3. isinf gives the sign, as glibc's. */
static int infinity_sign(double x) { return x > largest ? 1 : x < -largest ? -1 : 0; }

int __fpclassify(double x) { return class_of(x); }
int __fpclassifyf(float x) { return class_of_float(x); }
int __isnan(double x) { return x != x; }
int __isnanf(float x) { return x != x; }
int isnan(double x) { return x != x; }
int isnanf(float x) { return x != x; }
int __isinf(double x) { return infinity_sign(x); }
int __isinff(float x) { return infinity_sign(x); }
int isinf(double x) { return infinity_sign(x); }
int isinff(float x) { return infinity_sign(x); }
int __finite(double x) { return __builtin_fabs(x) <= largest; }
int __finitef(float x) { return __builtin_fabs(x) <= largest; }
int finite(double x) { return __builtin_fabs(x) <= largest; }
int finitef(float x) { return __builtin_fabs(x) <= largest; }
int isfinite(double x) { return __builtin_fabs(x) <= largest; }
int __signbit(double x) { return is_negative(x); }
int __signbitf(float x) { return is_negative(x); }
int signbit(double x) { return is_negative(x); }
int isnormal(double x) { return class_of(x) == NORMAL_CLASS; }
int fpclassify(double x) { return class_of(x); }

/* nan: C17 7.12.11.2; its payload is not modelled. */
double nan(const char *payload) {
    (void)payload;
    return __builtin_nan("");
}

float nanf(const char *payload) {
    (void)payload;
    return __builtin_nanf("");
}
