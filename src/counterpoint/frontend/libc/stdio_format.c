/* Formatting: C17 7.21.6.1. Integers, characters and strings are exact. The text of a floating-point
   number or a pointer is APPROXIMATED: characters of a number that its conversion could have. Wide
   characters, long double and numbered arguments ("%1$d") are UNSUPPORTED. */
#include "format_length.h"

enum flags { LEFT = 1, PLUS = 2, SPACE = 4, ALTERNATE = 8, ZERO = 16, UPPER = 32 };

struct directive {
    int flags, width, precision; /* precision -1: none */
    enum length length;
    char conversion;
};

/* Where text goes: `size` bytes at `to`, terminator included ((size_t)-1: no bound). `at` counts all. */
struct sink {
    char *to;
    size_t size, at;
};

static void put(struct sink *out, char c) {
    if (out->size > 0 && out->at < out->size - 1) out->to[out->at] = c;
    out->at++;
}

static void put_all(struct sink *out, const char *text, size_t n) {
    for (size_t i = 0; i < n; i++) put(out, text[i]);
}

static void put_repeated(struct sink *out, char c, int count) {
    for (int i = 0; i < count; i++) put(out, c);
}

/* Text padded with spaces to the width. */
static void put_padded(struct sink *out, struct directive d, const char *text, size_t n) {
    int padding = d.width > 0 && (size_t)d.width > n ? (int)((size_t)d.width - n) : 0;
    if (!(d.flags & LEFT)) put_repeated(out, ' ', padding);
    put_all(out, text, n);
    if (d.flags & LEFT) put_repeated(out, ' ', padding);
}

/* The characters of a %s argument; with a precision none behind that many is read. */
static size_t text_length(const char *s, int precision) {
    size_t n = 0;
    while ((precision < 0 || n < (size_t)precision) && s[n]) n++;
    return n;
}

/* Prefix, zeros and digits within the width. */
static void put_number(struct sink *out, struct directive d, unsigned long long value, unsigned base,
                       const char *prefix, size_t prefixed) {
    char digits[24]; /* 22 octal digits at most; the last comes first */
    int first = sizeof digits;
    for (; value != 0; value /= base) {
        unsigned digit = (unsigned)(value % base);
        digits[--first] = (char)(digit < 10 ? '0' + digit : (d.flags & UPPER ? 'A' : 'a') + digit - 10);
    }
    int length = (int)sizeof digits - first;
    int zeros = (d.precision < 0 ? 1 : d.precision) - length;
    if (zeros < 0) zeros = 0;
    if (base == 8 && d.flags & ALTERNATE && zeros == 0) zeros = 1;
    int padding = d.width - (int)prefixed - zeros - length;
    if (padding > 0 && d.flags & ZERO && !(d.flags & LEFT) && d.precision < 0) {
        zeros += padding;
        padding = 0;
    }
    if (!(d.flags & LEFT)) put_repeated(out, ' ', padding);
    put_all(out, prefix, prefixed);
    put_repeated(out, '0', zeros);
    put_all(out, digits + first, (size_t)length);
    if (d.flags & LEFT) put_repeated(out, ' ', padding);
}

static void put_signed(struct sink *out, struct directive d, long long value) {
    char sign = value < 0 ? '-' : d.flags & PLUS ? '+' : ' ';
    unsigned long long magnitude = value < 0 ? 0 - (unsigned long long)value : (unsigned long long)value;
    put_number(out, d, magnitude, 10, &sign, value < 0 || d.flags & (PLUS | SPACE));
}

static void put_unsigned(struct sink *out, struct directive d, unsigned long long value) {
    unsigned base = d.conversion == 'u' ? 10 : d.conversion == 'o' ? 8 : 16;
    _Bool prefixed = base == 16 && d.flags & ALTERNATE && value != 0;
    put_number(out, d, value, base, d.flags & UPPER ? "0X" : "0x", prefixed ? 2 : 0);
}

/* From `least` to `most` arbitrary characters, at least the width. */
static void approximated_text(struct sink *out, struct directive d, size_t least, size_t most) {
    if (d.width > 0 && least < (size_t)d.width) least = (size_t)d.width;
    if (most < least) most = least;
    size_t n = least + clamp(ANY_WORD(APPROXIMATED), most - least);
    for (size_t i = 0; i < n; i++) {
        byte c = __cp_nondet_i8(APPROXIMATED);
        put(out, c == 0 ? '0' : (char)c);
    }
}

/* How long it is at most, "-0x1.", the digits, "p-1074": 11 and the digits. "-0.000" and the digits, or "-1.", the other
   digits, "e-308": for %g 7 and the digits, of which there is one at least; for %e, whose first digit is one more, 8.
   "-", 309 digits, or 10 of a small number, ".", the digits: for %f. "-inf" and "-nan" are shorter. */
static void put_double(struct sink *out, struct directive d, double value) {
    size_t digits = d.precision < 0 ? 6 : (size_t)d.precision, others;
    switch (d.conversion) {
    case 'a':
    case 'A':
        if (digits < 13) digits = 13;
        others = 11;
        break;
    case 'f':
    case 'F':
        others = value > -1e9 && value < 1e9 ? 12 : 311;
        break;
    case 'g':
    case 'G':
        if (digits == 0) digits = 1;
        others = 7;
        break;
    default:
        others = 8;
    }
    approximated_text(out, d, 1, digits + others);
}

static long long take_signed(struct arguments *from, enum length length) {
    switch (length) {
    case CHAR: return (signed char)__builtin_va_arg(from->list, int);
    case SHORT: return (short)__builtin_va_arg(from->list, int);
    case INT: return __builtin_va_arg(from->list, int);
    case LONG: return __builtin_va_arg(from->list, long);
    default: return __builtin_va_arg(from->list, long long);
    }
}

static unsigned long long take_unsigned(struct arguments *from, enum length length) {
    switch (length) {
    case CHAR: return (unsigned char)__builtin_va_arg(from->list, unsigned);
    case SHORT: return (unsigned short)__builtin_va_arg(from->list, unsigned);
    case INT: return __builtin_va_arg(from->list, unsigned);
    case LONG: return __builtin_va_arg(from->list, unsigned long);
    default: return __builtin_va_arg(from->list, unsigned long long);
    }
}

static int flag_of(char c) {
    switch (c) {
    case '-': return LEFT;
    case '+': return PLUS;
    case ' ': return SPACE;
    case '#': return ALTERNATE;
    case '0': return ZERO;
    default: return 0;
    }
}

/* The directive behind a '%'; *format moves behind it. A negative width from the list means LEFT. */
static struct directive take_directive(const char **format, struct arguments *from) {
    struct directive d = {.precision = -1};
    for (int flag; (flag = flag_of(**format)) != 0; ++*format) d.flags |= flag;
    if (**format == '*') {
        ++*format;
        d.width = __builtin_va_arg(from->list, int);
        if (d.width < 0) {
            d.flags |= LEFT;
            if (d.width == -__INT_MAX__ - 1) __cp_unsupported(0);
            d.width = -d.width;
        }
    } else {
        d.width = take_number(format);
    }
    if (**format == '.') {
        ++*format;
        if (**format == '*') {
            ++*format;
            d.precision = __builtin_va_arg(from->list, int);
            if (d.precision < 0) d.precision = -1;
        } else {
            d.precision = take_number(format);
        }
    }
    d.length = take_length(format);
    d.conversion = *(*format)++;
    return d;
}

static void put_directive(struct sink *out, struct directive d, struct arguments *from) {
    switch (d.conversion) {
    case '%':
        put(out, '%');
        break;
    case 'd':
    case 'i':
        put_signed(out, d, take_signed(from, d.length));
        break;
    case 'X':
        d.flags |= UPPER;
        put_unsigned(out, d, take_unsigned(from, d.length));
        break;
    case 'u':
    case 'o':
    case 'x':
        put_unsigned(out, d, take_unsigned(from, d.length));
        break;
    case 'c': {
        char c = (char)__builtin_va_arg(from->list, int);
        if (d.length != INT) __cp_unsupported(0);
        put_padded(out, d, &c, 1);
        break;
    }
    case 's': {
        const char *s = __builtin_va_arg(from->list, const char *);
        if (d.length != INT) __cp_unsupported(0);
        put_padded(out, d, s, text_length(s, d.precision));
        break;
    }
    case 'a':
    case 'A':
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
        put_double(out, d, __builtin_va_arg(from->list, double));
        break;
    case 'p':
        (void)__builtin_va_arg(from->list, void *);
        approximated_text(out, d, 3, 2 * sizeof(void *) + 2);
        break;
    case 'n':
        if (d.length != INT) __cp_unsupported(0);
        *__builtin_va_arg(from->list, int *) = (int)out->at;
        break;
    default:
        __cp_unsupported(0);
    }
}

static int format_text(char *to, size_t size, const char *format, __builtin_va_list arguments) {
    struct sink out = {to, size, 0};
    struct arguments from;
    __builtin_va_copy(from.list, arguments);
    while (*format) {
        char c = *format++;
        if (c == '%') put_directive(&out, take_directive(&format, &from), &from);
        else put(&out, c);
    }
    __builtin_va_end(from.list);
    if (size > 0) to[out.at < size ? out.at : size - 1] = 0;
    return (int)out.at;
}

#define UNBOUNDED ((size_t)-1)

/* vsnprintf, vsprintf, snprintf, sprintf: C17 7.21.6.12, .13, .5, .6. */
int vsnprintf(char *to, size_t size, const char *format, __builtin_va_list arguments) {
    return format_text(to, size, format, arguments);
}

int vsprintf(char *to, const char *format, __builtin_va_list arguments) {
    return format_text(to, UNBOUNDED, format, arguments);
}

int snprintf(char *to, size_t size, const char *format, ...) {
    __builtin_va_list arguments;
    __builtin_va_start(arguments, format);
    int length = format_text(to, size, format, arguments);
    __builtin_va_end(arguments);
    return length;
}

int sprintf(char *to, const char *format, ...) {
    __builtin_va_list arguments;
    __builtin_va_start(arguments, format);
    int length = format_text(to, UNBOUNDED, format, arguments);
    __builtin_va_end(arguments);
    return length;
}

/* glibc's fortified names: a text longer than the object ends the run. */
int __sprintf_chk(char *to, int flag, size_t object_size, const char *format, ...) {
    (void)flag;
    __builtin_va_list arguments;
    __builtin_va_start(arguments, format);
    int length = format_text(to, object_size, format, arguments);
    __builtin_va_end(arguments);
    if ((size_t)length >= object_size) __cp_stop(134);
    return length;
}

int __snprintf_chk(char *to, size_t size, int flag, size_t object_size, const char *format, ...) {
    (void)flag;
    if (object_size < size) __cp_stop(134);
    __builtin_va_list arguments;
    __builtin_va_start(arguments, format);
    int length = format_text(to, size, format, arguments);
    __builtin_va_end(arguments);
    return length;
}

/* asprintf: GNU, POSIX.1-2024. The block is as long as the text; the caller frees it. Without a block the pointer is
   as it was, or null: what older and newer libraries do. */
static int allocate_text(char **result, const char *format, __builtin_va_list arguments) {
    int length = format_text(NULL, 0, format, arguments);
    char *text = ALLOCATE((size_t)length + 1);
    if (text || __cp_nondet_i1(INPUT)) *result = text;
    if (!text) return -1;
    format_text(text, (size_t)length + 1, format, arguments);
    return length;
}

int vasprintf(char **result, const char *format, __builtin_va_list arguments) {
    return allocate_text(result, format, arguments);
}

int asprintf(char **result, const char *format, ...) {
    __builtin_va_list arguments;
    __builtin_va_start(arguments, format);
    int length = allocate_text(result, format, arguments);
    __builtin_va_end(arguments);
    return length;
}

int __asprintf_chk(char **result, int flag, const char *format, ...) {
    (void)flag;
    __builtin_va_list arguments;
    __builtin_va_start(arguments, format);
    int length = allocate_text(result, format, arguments);
    __builtin_va_end(arguments);
    return length;
}

int __vasprintf_chk(char **result, int flag, const char *format, __builtin_va_list arguments) {
    (void)flag;
    return allocate_text(result, format, arguments);
}

int __vsprintf_chk(char *to, int flag, size_t object_size, const char *format, __builtin_va_list arguments) {
    (void)flag;
    int length = format_text(to, object_size, format, arguments);
    if ((size_t)length >= object_size) __cp_stop(134);
    return length;
}

int __vsnprintf_chk(char *to, size_t size, int flag, size_t object_size, const char *format,
                    __builtin_va_list arguments) {
    (void)flag;
    if (object_size < size) __cp_stop(134);
    return format_text(to, size, format, arguments);
}
