/* The pieces of a formatted text, C17 7.21.6.1: what a call of the printf family with a literal format
   is made of. A chain of calls passes on `at`, the length so far; `size` bytes at `to` may be written
   including the terminator ((size_t)-1: unbounded, 0: only count). format_end closes the chain. */
#include "kernel.h"

enum flags { LEFT = 1, PLUS = 2, SPACE = 4, ALTERNATE = 8, ZERO = 16, UPPER = 32 };

static size_t put(char *to, size_t size, size_t at, char c) {
    if (size > 0 && at < size - 1) to[at] = c;
    return at + 1;
}

static size_t put_all(char *to, size_t size, size_t at, const char *text, size_t n) {
    for (size_t i = 0; i < n; i++) at = put(to, size, at, text[i]);
    return at;
}

static size_t put_repeated(char *to, size_t size, size_t at, char c, int count) {
    for (int i = 0; i < count; i++) at = put(to, size, at, c);
    return at;
}

/* Ordinary characters of the format. */
size_t __model_format_literal(char *to, size_t size, size_t at, const char *text, size_t n) {
    return put_all(to, size, at, text, n);
}

/* %c. */
size_t __model_format_char(char *to, size_t size, size_t at, int c, int flags, int width) {
    if (!(flags & LEFT)) at = put_repeated(to, size, at, ' ', width - 1);
    at = put(to, size, at, (char)c);
    return flags & LEFT ? put_repeated(to, size, at, ' ', width - 1) : at;
}

/* %s; precision -1 means none, else nothing is read behind that many characters. */
size_t __model_format_string(char *to, size_t size, size_t at, const char *s, int flags, int width,
                             int precision) {
    size_t n = 0;
    while ((precision < 0 || n < (size_t)precision) && s[n]) n++;
    int padding = width > 0 && (size_t)width > n ? (int)((size_t)width - n) : 0;
    if (!(flags & LEFT)) at = put_repeated(to, size, at, ' ', padding);
    at = put_all(to, size, at, s, n);
    return flags & LEFT ? put_repeated(to, size, at, ' ', padding) : at;
}

/* Sign or prefix, zeros and digits within the width. */
static size_t put_number(char *to, size_t size, size_t at, unsigned long long value, unsigned base,
                         const char *prefix, int flags, int width, int precision) {
    char digits[24]; /* 22 octal digits at most; the last is written first */
    int first = sizeof digits, prefixed = 0;
    for (; value != 0; value /= base) {
        unsigned digit = (unsigned)(value % base);
        digits[--first] = (char)(digit < 10 ? '0' + digit : (flags & UPPER ? 'A' : 'a') + digit - 10);
    }
    while (prefix[prefixed]) prefixed++;
    int length = (int)sizeof digits - first;
    int zeros = (precision < 0 ? 1 : precision) - length;
    if (zeros < 0) zeros = 0;
    if (base == 8 && flags & ALTERNATE && zeros == 0) zeros = 1;
    int padding = width - prefixed - zeros - length;
    if (padding > 0 && flags & ZERO && !(flags & LEFT) && precision < 0) {
        zeros += padding;
        padding = 0;
    }
    if (!(flags & LEFT)) at = put_repeated(to, size, at, ' ', padding);
    at = put_all(to, size, at, prefix, (size_t)prefixed);
    at = put_repeated(to, size, at, '0', zeros);
    at = put_all(to, size, at, digits + first, (size_t)length);
    return flags & LEFT ? put_repeated(to, size, at, ' ', padding) : at;
}

/* %d, %i with any length modifier: the argument converted to its type, then widened. */
size_t __model_format_signed(char *to, size_t size, size_t at, long long value, int flags, int width,
                             int precision) {
    const char *sign = value < 0 ? "-" : flags & PLUS ? "+" : flags & SPACE ? " " : "";
    unsigned long long magnitude = value < 0 ? 0 - (unsigned long long)value : (unsigned long long)value;
    return put_number(to, size, at, magnitude, 10, sign, flags, width, precision);
}

/* %u, %o, %x, %X with base 10, 8, 16. */
size_t __model_format_unsigned(char *to, size_t size, size_t at, unsigned long long value, unsigned base,
                               int flags, int width, int precision) {
    const char *prefix = base == 16 && flags & ALTERNATE && value != 0 ? flags & UPPER ? "0X" : "0x" : "";
    return put_number(to, size, at, value, base, prefix, flags, width, precision);
}

/* What has no exact text here (%f, %e, %g, %a, %p): `least` to `most` arbitrary characters. */
size_t __model_format_some(char *to, size_t size, size_t at, size_t least, size_t most) {
    size_t n = least + clamp(ANY_WORD(APPROXIMATED), most - least);
    for (size_t i = 0; i < n; i++) {
        byte c = __cp_nondet_i8(APPROXIMATED);
        at = put(to, size, at, c == 0 ? '0' : (char)c);
    }
    return at;
}

/* The terminator and the call's result. */
int __model_format_end(char *to, size_t size, size_t at) {
    if (size > 0) to[at < size ? at : size - 1] = 0;
    return (int)at;
}

/* A %s argument of text that is only printed; precision as above. */
void __model_read_string(const char *s, int precision) {
#ifndef COUNTERPOINT_SKIP_OUTPUT
    for (size_t n = 0; (precision < 0 || n < (size_t)precision) && s[n]; n++) continue;
#else
    (void)s, (void)precision;
#endif
}
