/* swprintf as Windows declared it before C99: without a size, wide characters of 16 bits. The text of a
   number is APPROXIMATED: characters that are not null, as many as it could have. All else, and the
   standard's form, whose second argument is a size, is UNSUPPORTED: a size points into no object. */
#include "kernel.h"

typedef unsigned short wide;

/* Digits and sign of a number of 32 bits take 11 characters at most, of one of 64 bits 20. */
static size_t most_digits(wide conversion, const wide **format) {
    size_t most = conversion == 'l' && sizeof(long) == 8 ? 20 : 11;
    if (conversion == 'h' || conversion == 'l') conversion = *(*format)++;
    if (conversion != 'd' && conversion != 'i' && conversion != 'u' && conversion != 'x' && conversion != 'X')
        __cp_unsupported(0);
    return most;
}

int swprintf(void *to, const void *second, ...) {
    if (__cp_object_size(second) == 0) __cp_unsupported(0);
    wide *out = to;
    const wide *format = second;
    int length = 0;
    for (wide c; (c = *format++) != 0;) {
        wide conversion = c == '%' ? *format++ : 0;
        if (c != '%' || conversion == '%') {
            out[length++] = c;
            continue;
        }
        size_t count = 1 + clamp(ANY_WORD(APPROXIMATED), most_digits(conversion, &format) - 1);
        for (size_t i = 0; i < count; i++) {
            wide digit = __cp_nondet_i16(APPROXIMATED);
            out[length++] = digit == 0 ? '0' : digit;
        }
    }
    out[length] = 0;
    return length;
}
