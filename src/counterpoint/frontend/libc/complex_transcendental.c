/* Transcendental functions of complex numbers: C17 7.3.5 to 7.3.8. Each has one value, which is APPROXIMATED by any. */
#include "kernel.h"

#define SOME_DOUBLE __cp_nondet_double(APPROXIMATED)
#define SOME_FLOAT __cp_nondet_float(APPROXIMATED)
#define SOME_COMPLEX __builtin_complex(SOME_DOUBLE, SOME_DOUBLE)
#define SOME_COMPLEX_FLOAT __builtin_complex(SOME_FLOAT, SOME_FLOAT)

#define ONE(name) \
    double _Complex name(double _Complex z) { return (void)z, SOME_COMPLEX; } \
    float _Complex name##f(float _Complex z) { return (void)z, SOME_COMPLEX_FLOAT; }

ONE(cacos)
ONE(casin)
ONE(catan)
ONE(ccos)
ONE(csin)
ONE(ctan)
ONE(cacosh)
ONE(casinh)
ONE(catanh)
ONE(ccosh)
ONE(csinh)
ONE(ctanh)
ONE(cexp)
ONE(clog)
ONE(csqrt)

double _Complex cpow(double _Complex x, double _Complex y) { return (void)x, (void)y, SOME_COMPLEX; }
float _Complex cpowf(float _Complex x, float _Complex y) { return (void)x, (void)y, SOME_COMPLEX_FLOAT; }

/* The modulus is not negative; the argument lies within pi. */
double cabs(double _Complex z) {
    double real = __builtin_fabs(__real__ z), imaginary = __builtin_fabs(__imag__ z);
    if (imaginary == 0) return real;
    if (real == 0) return imaginary;
    return __builtin_fabs(SOME_DOUBLE);
}

float cabsf(float _Complex z) {
    float real = __builtin_fabsf(__real__ z), imaginary = __builtin_fabsf(__imag__ z);
    if (imaginary == 0) return real;
    if (real == 0) return imaginary;
    return __builtin_fabsf(SOME_FLOAT);
}

double carg(double _Complex z) {
    double any = SOME_DOUBLE;
    (void)z;
    return any > 3.15 ? 3.15 : any < -3.15 ? -3.15 : any;
}

float cargf(float _Complex z) {
    float any = SOME_FLOAT;
    (void)z;
    return any > 3.15f ? 3.15f : any < -3.15f ? -3.15f : any;
}
