/* Remainders: C17 7.12.10. Exact, by long division on the mantissas; one step per bit by which the
   exponents differ (at most 2,098). Float versions go through double, where the result is exact too. */
#include "kernel.h"

union bits {
    double value;
    unsigned long long word;
};

struct scaled { /* mantissa * 2^(exponent - 1075), mantissa in [2^52, 2^53) */
    unsigned long long mantissa;
    int exponent;
};

/* Of a finite x greater than 0. */
static struct scaled scaled_of(double x) {
    unsigned long long word = ((union bits){.value = x}).word;
    struct scaled result = {word & ((1ULL << 52) - 1), (int)(word >> 52)};
    if (result.exponent != 0) {
        result.mantissa |= 1ULL << 52;
        return result;
    }
    int shift = __builtin_clzll(result.mantissa) - 11;
    return (struct scaled){result.mantissa << shift, 1 - shift};
}

static double double_of(struct scaled x) {
    if (x.mantissa == 0) return 0;
    int shift = __builtin_clzll(x.mantissa) - 11;
    x.mantissa <<= shift;
    x.exponent -= shift;
    if (x.exponent <= 0) return ((union bits){.word = x.mantissa >> (1 - x.exponent)}).value;
    unsigned long long fraction = x.mantissa & ((1ULL << 52) - 1);
    return ((union bits){.word = fraction | (unsigned long long)x.exponent << 52}).value;
}

static _Bool is_infinite(double x) { return __builtin_fabs(x) > __DBL_MAX__; }

static double truncated_remainder(double x, double y) {
    double size = __builtin_fabs(x), divisor = __builtin_fabs(y);
    if (x != x || y != y || is_infinite(x) || y == 0) return __builtin_nan("");
    if (size < divisor) return x;
    struct scaled rest = scaled_of(size), by = scaled_of(divisor);
    for (; rest.exponent > by.exponent; rest.exponent--) {
        if (rest.mantissa >= by.mantissa) rest.mantissa -= by.mantissa;
        rest.mantissa <<= 1;
    }
    if (rest.mantissa >= by.mantissa) rest.mantissa -= by.mantissa;
    return __builtin_copysign(double_of(rest), x);
}

/* x - n * y with n the integer nearest to x / y, even in a tie. */
static double nearest_remainder(double x, double y) {
    double divisor = __builtin_fabs(y);
    if (x != x || y != y || is_infinite(x) || y == 0) return __builtin_nan("");
    if (is_infinite(y)) return x;
    double rest = __builtin_fabs(x);
    if (divisor <= __DBL_MAX__ / 2) rest = truncated_remainder(rest, divisor + divisor);
    if (divisor < __DBL_MIN__ * 2) { /* half of it might not be a double: double the rest instead */
        if (rest + rest > divisor) {
            rest -= divisor;
            if (rest + rest >= divisor) rest -= divisor;
        }
    } else if (rest > divisor / 2) {
        rest -= divisor;
        if (rest >= divisor / 2) rest -= divisor;
    }
    if (rest == 0) return __builtin_copysign(0.0, x);
    return __builtin_copysign(1.0, x) < 0 ? -rest : rest;
}

/* fmod: C17 7.12.10.1. */
double fmod(double x, double y) { return truncated_remainder(x, y); }
float fmodf(float x, float y) { return (float)truncated_remainder(x, y); }

/* remainder: C17 7.12.10.2. drem: its BSD name. */
double remainder(double x, double y) { return nearest_remainder(x, y); }
float remainderf(float x, float y) { return (float)nearest_remainder(x, y); }
double drem(double x, double y) { return nearest_remainder(x, y); }
float dremf(float x, float y) { return (float)nearest_remainder(x, y); }
