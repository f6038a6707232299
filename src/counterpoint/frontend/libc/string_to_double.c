/* Text to floating point: C17 7.22.1.1, 7.22.1.3, C locale. The end pointer is exact. So is the value
   where one rounding of exact operands gives it (decimal or hexadecimal digits of up to 53 bits, for
   strtof 24, with a small exponent); any other value is APPROXIMATED. strtold is UNSUPPORTED. */
#include "kernel.h"

enum kind { NO_NUMBER, FINITE, INFINITE, NOT_A_NUMBER };

/* mantissa * 10^exponent, or * 2^exponent if hexadecimal. */
struct number {
    const char *end;
    enum kind kind;
    unsigned long long mantissa;
    int exponent;
    _Bool hexadecimal, negative;
    _Bool complete; /* every digit that counts is in the mantissa */
};

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

static int digit_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    return lower(c) >= 'a' && lower(c) <= 'f' ? lower(c) - 'a' + 10 : 16;
}

/* The character after `word` at s, in either case; null when something else is there. */
static const char *after_word(const char *s, const char *word) {
    for (; *word; s++, word++)
        if (lower(*s) != *word) return NULL;
    return s;
}

/* "(n-char-sequence)" behind "nan", if it is complete. */
static const char *after_payload(const char *s) {
    if (*s != '(') return s;
    const char *c = s + 1;
    while ((*c >= '0' && *c <= '9') || (lower(*c) >= 'a' && lower(*c) <= 'z') || *c == '_') c++;
    return *c == ')' ? c + 1 : s;
}

#define MOST_EXPONENT 100000

static void take_digit(struct number *n, unsigned digit, _Bool fraction) {
    int place = n->hexadecimal ? 4 : 1;
    if (n->mantissa < 1ULL << 59) {
        n->mantissa = n->mantissa * (n->hexadecimal ? 16 : 10) + digit;
        if (fraction) n->exponent -= place;
    } else {
        if (digit != 0) n->complete = 0;
        if (!fraction) n->exponent += place;
    }
    if (n->exponent > MOST_EXPONENT || n->exponent < -MOST_EXPONENT) {
        n->exponent = 0;
        n->complete = 0;
    }
}

/* Digits with at most one point; null if there is no digit. */
static const char *take_digits(struct number *n, const char *s) {
    const char *end = NULL;
    _Bool fraction = 0;
    for (;; s++) {
        if (*s == '.' && !fraction) {
            fraction = 1;
            if (end) end = s + 1;
        } else if (digit_value(*s) < (n->hexadecimal ? 16 : 10)) {
            take_digit(n, (unsigned)digit_value(*s), fraction);
            end = s + 1;
        } else {
            return end;
        }
    }
}

static const char *take_exponent(struct number *n, const char *s) {
    if (lower(*s) != (n->hexadecimal ? 'p' : 'e')) return s;
    const char *digits = s + 1;
    _Bool negative = *digits == '-';
    if (*digits == '-' || *digits == '+') digits++;
    if (*digits < '0' || *digits > '9') return s;
    int exponent = 0;
    for (; *digits >= '0' && *digits <= '9'; digits++)
        if (exponent < MOST_EXPONENT) exponent = exponent * 10 + (*digits - '0');
    n->exponent += negative ? -exponent : exponent;
    return digits;
}

static struct number parse(const char *text) {
    struct number n = {.end = text, .complete = 1};
    const char *s = text, *word;
    while (*s == ' ' || (*s >= '\t' && *s <= '\r')) s++;
    n.negative = *s == '-';
    if (*s == '-' || *s == '+') s++;
    if ((word = after_word(s, "inf"))) {
        const char *longer = after_word(word, "inity");
        n.kind = INFINITE;
        n.end = longer ? longer : word;
        return n;
    }
    if ((word = after_word(s, "nan"))) {
        n.kind = NOT_A_NUMBER;
        n.end = after_payload(word);
        return n;
    }
    n.hexadecimal = s[0] == '0' && lower(s[1]) == 'x' && digit_value(s[2] == '.' ? s[3] : s[2]) < 16;
    const char *end = take_digits(&n, n.hexadecimal ? s + 2 : s);
    if (!end) return n;
    n.kind = FINITE;
    n.end = take_exponent(&n, end);
    return n;
}

static double power_of_two(int exponent) {
    union {
        unsigned long long word;
        double value;
    } bits = {.word = (unsigned long long)(1023 + exponent) << 52};
    return bits.value;
}

static const double power_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                      1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* The double nearest to the magnitude. Exact operands and one operation: rounded once. */
static double strtod_magnitude(struct number n) {
    if (n.mantissa == 0) return 0;
    _Bool whole = n.complete && n.mantissa <= 1ULL << 53;
    if (whole && n.hexadecimal && n.exponent >= -900 && n.exponent <= 900)
        return (double)n.mantissa * power_of_two(n.exponent);
    if (whole && !n.hexadecimal && n.exponent >= 0 && n.exponent <= 22)
        return (double)n.mantissa * power_of_ten[n.exponent];
    if (whole && !n.hexadecimal && n.exponent < 0 && n.exponent >= -22)
        return (double)n.mantissa / power_of_ten[-n.exponent];
    double any = __builtin_fabs(__cp_nondet_double(APPROXIMATED));
    if (__cp_nondet_i1(APPROXIMATED)) *__errno_location() = ERANGE;
    return any != any ? 0 : any;
}

static float strtof_magnitude(struct number n) {
    if (n.mantissa == 0) return 0;
    _Bool whole = n.complete && n.mantissa <= 1ULL << 24;
    if (whole && n.hexadecimal && n.exponent >= -100 && n.exponent <= 100)
        return (float)((double)n.mantissa * power_of_two(n.exponent));
    if (whole && !n.hexadecimal && n.exponent >= 0 && n.exponent <= 10)
        return (float)n.mantissa * (float)power_of_ten[n.exponent];
    if (whole && !n.hexadecimal && n.exponent < 0 && n.exponent >= -10)
        return (float)n.mantissa / (float)power_of_ten[-n.exponent];
    float any = __builtin_fabsf(__cp_nondet_float(APPROXIMATED));
    if (__cp_nondet_i1(APPROXIMATED)) *__errno_location() = ERANGE;
    return any != any ? 0 : any;
}

static double to_double(const char *s, char **end) {
    struct number n = parse(s);
    if (end) *end = (char *)n.end;
    double size = n.kind == FINITE ? strtod_magnitude(n) : n.kind == INFINITE ? __builtin_inf() : 0;
    if (n.kind == NOT_A_NUMBER) size = __builtin_nan("");
    return n.kind != NO_NUMBER && n.negative ? -size : size;
}

static float to_float(const char *s, char **end) {
    struct number n = parse(s);
    if (end) *end = (char *)n.end;
    float size = n.kind == FINITE ? strtof_magnitude(n) : n.kind == INFINITE ? __builtin_inff() : 0;
    if (n.kind == NOT_A_NUMBER) size = __builtin_nanf("");
    return n.kind != NO_NUMBER && n.negative ? -size : size;
}

/* strtod, strtof: C17 7.22.1.3; the _internal names are those of old glibc headers. */
double strtod(const char *s, char **end) { return to_double(s, end); }
float strtof(const char *s, char **end) { return to_float(s, end); }
double __strtod_internal(const char *s, char **end, int group) {
    (void)group;
    return to_double(s, end);
}

/* atof: C17 7.22.1.1. */
double atof(const char *s) { return to_double(s, NULL); }
