/* Complex numbers: C17 7.3.8, 7.3.9 and Annex G.5.1, and the functions by which compilers multiply and divide. Products
   and quotients are those of LLVM's compiler-rt; libgcc's quotients may differ in their last bits. */
#include "kernel.h"

#define INFINITE __builtin_inf()

static double magnitude(double x) { return __builtin_fabs(x); }
static _Bool is_nan(double x) { return x != x; }
static _Bool is_infinite(double x) { return magnitude(x) == INFINITE; }
static _Bool is_finite(double x) { return magnitude(x) < INFINITE; }

/* 1 or 0 as `x` is infinite or not, with its sign. */
static double boxed(double x) { return __builtin_copysign(is_infinite(x) ? 1.0 : 0.0, x); }
static double zero_for_nan(double x) { return is_nan(x) ? __builtin_copysign(0.0, x) : x; }

/* What is left to do where both parts of a product are NaNs (G.5.1p6): infinities are kept. `products` are the four
   products of the parts. */
static _Bool recover(double *a, double *b, double *c, double *d, const double products[4]) {
    _Bool again = 0;
    if (is_infinite(*a) || is_infinite(*b)) {
        *a = boxed(*a), *b = boxed(*b);
        *c = zero_for_nan(*c), *d = zero_for_nan(*d);
        again = 1;
    }
    if (is_infinite(*c) || is_infinite(*d)) {
        *c = boxed(*c), *d = boxed(*d);
        *a = zero_for_nan(*a), *b = zero_for_nan(*b);
        again = 1;
    }
    if (!again && (is_infinite(products[0]) || is_infinite(products[1]) || is_infinite(products[2]) ||
                   is_infinite(products[3]))) {
        *a = zero_for_nan(*a), *b = zero_for_nan(*b);
        *c = zero_for_nan(*c), *d = zero_for_nan(*d);
        again = 1;
    }
    return again;
}

double _Complex __muldc3(double a, double b, double c, double d) {
    const double products[4] = {a * c, b * d, a * d, b * c};
    double real = products[0] - products[1], imaginary = products[2] + products[3];
    if (is_nan(real) && is_nan(imaginary) && recover(&a, &b, &c, &d, products)) {
        real = INFINITE * (a * c - b * d);
        imaginary = INFINITE * (a * d + b * c);
    }
    return __builtin_complex(real, imaginary);
}

float _Complex __mulsc3(float a, float b, float c, float d) {
    const float ac = a * c, bd = b * d, ad = a * d, bc = b * c;
    float real = ac - bd, imaginary = ad + bc;
    const double products[4] = {ac, bd, ad, bc};
    double wa = a, wb = b, wc = c, wd = d;
    if (is_nan(real) && is_nan(imaginary) && recover(&wa, &wb, &wc, &wd, products)) {
        a = (float)wa, b = (float)wb, c = (float)wc, d = (float)wd;
        real = (float)INFINITE * (a * c - b * d);
        imaginary = (float)INFINITE * (a * d + b * c);
    }
    return __builtin_complex(real, imaginary);
}

static int exponent_field(double x) {
    union { double value; unsigned long long word; } bits = {x};
    return (int)(bits.word >> 52 & 0x7ff);
}

static double power(int n) { /* of 2, for normal results */
    union { unsigned long long word; double value; } bits = {(unsigned long long)(1023 + n) << 52};
    return bits.value;
}

/* x * 2^n, rounded once. */
static double scaled(double x, int n) {
    for (int i = 0; i < 2 && n > 1023; i++) x *= 0x1p1023, n -= 1023;
    for (int i = 0; i < 2 && n < -1022; i++) x *= 0x1p-969, n += 969;
    return x * power(n > 1023 ? 1023 : n < -1022 ? -1022 : n);
}

/* The exponent of a finite number that is not 0. */
static int exponent_of(double x) {
    return exponent_field(x) == 0 ? exponent_field(x * 0x1p64) - 1023 - 64 : exponent_field(x) - 1023;
}

double _Complex __divdc3(double a, double b, double c, double d) {
    double larger = magnitude(c) < magnitude(d) || is_nan(c) ? magnitude(d) : magnitude(c);
    int exponent = 0;
    if (is_finite(larger) && larger != 0) {
        exponent = exponent_of(larger);
        c = scaled(c, -exponent);
        d = scaled(d, -exponent);
    }
    double square = c * c + d * d;
    double real = scaled((a * c + b * d) / square, -exponent);
    double imaginary = scaled((b * c - a * d) / square, -exponent);
    if (is_nan(real) && is_nan(imaginary)) {
        if (square == 0 && (!is_nan(a) || !is_nan(b))) {
            real = __builtin_copysign(INFINITE, c) * a;
            imaginary = __builtin_copysign(INFINITE, c) * b;
        } else if ((is_infinite(a) || is_infinite(b)) && is_finite(c) && is_finite(d)) {
            a = boxed(a), b = boxed(b);
            real = INFINITE * (a * c + b * d);
            imaginary = INFINITE * (b * c - a * d);
        } else if (is_infinite(larger) && is_finite(a) && is_finite(b)) {
            c = boxed(c), d = boxed(d);
            real = 0.0 * (a * c + b * d);
            imaginary = 0.0 * (b * c - a * d);
        }
    }
    return __builtin_complex(real, imaginary);
}

/* x * 2^n in float, rounded once: a double holds the product exactly where the float is not subnormal, and the factor
   is a power of two otherwise. */
static float scaled_float(float x, int n) { return (float)scaled(x, n); }

float _Complex __divsc3(float a, float b, float c, float d) {
    float larger = (float)(magnitude(c) < magnitude(d) || is_nan(c) ? magnitude(d) : magnitude(c));
    int exponent = 0;
    if (is_finite(larger) && larger != 0) {
        exponent = exponent_of(larger);
        c = scaled_float(c, -exponent);
        d = scaled_float(d, -exponent);
    }
    float square = c * c + d * d;
    float real = scaled_float((a * c + b * d) / square, -exponent);
    float imaginary = scaled_float((b * c - a * d) / square, -exponent);
    if (is_nan(real) && is_nan(imaginary)) {
        const float infinite = (float)INFINITE;
        if (square == 0 && (!is_nan(a) || !is_nan(b))) {
            real = __builtin_copysignf(infinite, c) * a;
            imaginary = __builtin_copysignf(infinite, c) * b;
        } else if ((is_infinite(a) || is_infinite(b)) && is_finite(c) && is_finite(d)) {
            a = (float)boxed(a), b = (float)boxed(b);
            real = infinite * (a * c + b * d);
            imaginary = infinite * (b * c - a * d);
        } else if (is_infinite(larger) && is_finite(a) && is_finite(b)) {
            c = (float)boxed(c), d = (float)boxed(d);
            real = 0.0f * (a * c + b * d);
            imaginary = 0.0f * (b * c - a * d);
        }
    }
    return __builtin_complex(real, imaginary);
}

double creal(double _Complex z) { return __real__ z; }
float crealf(float _Complex z) { return __real__ z; }
double cimag(double _Complex z) { return __imag__ z; }
float cimagf(float _Complex z) { return __imag__ z; }
double _Complex conj(double _Complex z) { return __builtin_complex(__real__ z, -__imag__ z); }
float _Complex conjf(float _Complex z) { return __builtin_complex(__real__ z, -__imag__ z); }

double _Complex cproj(double _Complex z) {
    if (!is_infinite(__real__ z) && !is_infinite(__imag__ z)) return z;
    return __builtin_complex(INFINITE, __builtin_copysign(0.0, __imag__ z));
}

float _Complex cprojf(float _Complex z) {
    if (!is_infinite(__real__ z) && !is_infinite(__imag__ z)) return z;
    return __builtin_complex((float)INFINITE, __builtin_copysignf(0.0f, __imag__ z));
}
