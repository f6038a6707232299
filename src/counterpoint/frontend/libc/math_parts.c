/* Mantissa, exponent and neighbours: C17 7.12.6, 7.12.11.3. Exact; float versions go through double,
   which holds every intermediate value. errno is not set. */
#include "kernel.h"

union bits {
    double value;
    unsigned long long word;
};

union float_bits {
    float value;
    unsigned word;
};

static unsigned long long word_of(double x) { return ((union bits){.value = x}).word; }
static double double_of(unsigned long long word) { return ((union bits){.word = word}).value; }
static int exponent_field(double x) { return (int)(word_of(x) >> 52 & 0x7ff); }
static _Bool is_finite(double x) { return exponent_field(x) != 0x7ff; }

/* x = result * 2^*exponent with |result| in [0.5, 1); *exponent is 0 for 0 and, as in glibc, for
   infinities and NaN, where C17 7.12.6.4 leaves it unspecified. */
static double split(double x, int *exponent) {
    *exponent = 0;
    if (x == 0 || !is_finite(x)) return x;
    int bias = 1022;
    if (exponent_field(x) == 0) {
        x *= 0x1p64;
        bias += 64;
    }
    *exponent = exponent_field(x) - bias;
    return double_of((word_of(x) & ~(0x7ffULL << 52)) | 1022ULL << 52);
}

/* frexp: C17 7.12.6.4. */
double frexp(double x, int *exponent) { return split(x, exponent); }
float frexpf(float x, int *exponent) { return (float)split(x, exponent); }

/* x * 2^n, rounded once: powers that keep the product normal come first, 0x1p-969 leaves the 53 bits
   that the last step rounds. */
static double scale(double x, int n) {
    for (int i = 0; i < 2 && n > 1023; i++) {
        x *= 0x1p1023;
        n -= 1023;
    }
    for (int i = 0; i < 2 && n < -1022; i++) {
        x *= 0x1p-969;
        n += 969;
    }
    if (n > 1023) n = 1023;
    if (n < -1022) n = -1022;
    return x * double_of((unsigned long long)(1023 + n) << 52);
}

static int within_int(long n) {
    if (n > 10000) return 10000;
    return n < -10000 ? -10000 : (int)n;
}

/* ldexp, scalbn, scalbln: C17 7.12.6.6, .13. */
double ldexp(double x, int n) { return scale(x, n); }
float ldexpf(float x, int n) { return (float)scale(x, n); }
double scalbn(double x, int n) { return scale(x, n); }
float scalbnf(float x, int n) { return (float)scale(x, n); }
double scalbln(double x, long n) { return scale(x, within_int(n)); }
float scalblnf(float x, long n) { return (float)scale(x, within_int(n)); }

/* modf: C17 7.12.6.12. Both parts have the sign of x. */
static double fraction(double x, double whole) {
    return __builtin_copysign(is_finite(x) || x != x ? x - whole : 0.0, x);
}

double modf(double x, double *whole) {
    *whole = __builtin_elementwise_trunc(x);
    return fraction(x, *whole);
}

float modff(float x, float *whole) {
    *whole = __builtin_elementwise_trunc(x);
    return (float)fraction(x, *whole);
}

/* ilogb: C17 7.12.6.5, with the values of FP_ILOGB0 and FP_ILOGBNAN of musl (of glibc on ARM: they differ
   on x86 for NaN only in name). logb: 7.12.6.11. */
static int exponent_of(double x) {
    int exponent;
    split(x, &exponent);
    return exponent - 1;
}

static int integer_logarithm(double x) {
    if (x == 0 || x != x) return -__INT_MAX__ - 1;
    return is_finite(x) ? exponent_of(x) : __INT_MAX__;
}

static double whole_logarithm(double x) {
    if (x != x) return x;
    if (!is_finite(x)) return __builtin_inf();
    return x == 0 ? -__builtin_inf() : exponent_of(x);
}

int ilogb(double x) { return integer_logarithm(x); }
int ilogbf(float x) { return integer_logarithm(x); }
double logb(double x) { return whole_logarithm(x); }
float logbf(float x) { return (float)whole_logarithm(x); }

/* nextafter: C17 7.12.11.3. Neighbours are neighbouring words, one step away from zero or towards it. */
double nextafter(double x, double y) {
    if (x != x || y != y) return __builtin_nan("");
    if (x == y) return y;
    if (x == 0) return __builtin_copysign(__DBL_DENORM_MIN__, y);
    return double_of(word_of(x) + ((x < y) == (x > 0) ? 1 : -1ULL));
}

float nextafterf(float x, float y) {
    if (x != x || y != y) return __builtin_nanf("");
    if (x == y) return y;
    if (x == 0) return __builtin_copysignf(__FLT_DENORM_MIN__, y);
    unsigned word = ((union float_bits){.value = x}).word;
    return ((union float_bits){.word = word + ((x < y) == (x > 0) ? 1 : -1u)}).value;
}
