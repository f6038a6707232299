/* Text to integer: C17 7.22.1.2, 7.22.1.4, C locale. Exact in value, end pointer and errno. */
#include "kernel.h"

/* strtol's subject sequence of C17 7.22.1.4: where it ends and what it denotes. */
struct parsed {
    const char *end; /* after the last digit, or the text's start when there is no number; null for a wrong base */
    unsigned long long magnitude;
    _Bool negative;
    _Bool overflow; /* the magnitude exceeds the limit that belongs to its sign */
};

static int digit_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'z') return c - 'a' + 10;
    if (c >= 'A' && c <= 'Z') return c - 'A' + 10;
    return 36;
}

static _Bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* "0x" (and C23's "0b" where it counts) is a prefix only when a digit follows. */
static _Bool has_prefix(const char *s, char letter, int base) {
    return s[0] == '0' && (s[1] == letter || s[1] == letter - 'a' + 'A') && digit_value(s[2]) < base;
}

static struct parsed parse(const char *text, int base, _Bool c23, unsigned long long limit,
                           unsigned long long negative_limit) {
    struct parsed result = {text, 0, 0, 0};
    if (base < 0 || base == 1 || base > 36) {
        *__errno_location() = EINVAL;
        result.end = NULL;
        return result;
    }
    const char *s = text;
    while (is_space(*s)) s++;
    result.negative = *s == '-';
    if (*s == '-' || *s == '+') s++;
    if ((base == 0 || base == 16) && has_prefix(s, 'x', 16)) {
        s += 2;
        base = 16;
    } else if (c23 && (base == 0 || base == 2) && has_prefix(s, 'b', 2)) {
        s += 2;
        base = 2;
    } else if (base == 0) {
        base = *s == '0' ? 8 : 10;
    }
    if (result.negative) limit = negative_limit;
    unsigned long long cutoff = limit / (unsigned)base, last = limit % (unsigned)base;
    for (; digit_value(*s) < base; s++) {
        unsigned digit = (unsigned)digit_value(*s);
        if (result.magnitude > cutoff || (result.magnitude == cutoff && digit > last)) result.overflow = 1;
        if (!result.overflow) result.magnitude = result.magnitude * (unsigned)base + digit;
        result.end = s + 1;
    }
    if (result.overflow) {
        *__errno_location() = ERANGE;
        result.magnitude = limit;
    }
    return result;
}

#define LONG_LIMIT ((unsigned long long)__LONG_MAX__)
#define LONG_LONG_LIMIT ((unsigned long long)__LONG_LONG_MAX__)
#define UNSIGNED_LONG_LIMIT (2 * LONG_LIMIT + 1)
#define UNSIGNED_LONG_LONG_LIMIT (2 * LONG_LONG_LIMIT + 1)

/* Negation of a magnitude of at most limit + 1, modulo 2^64: no signed step overflows. */
static long long signed_value(struct parsed number) {
    return (long long)(number.negative ? 0 - number.magnitude : number.magnitude);
}

/* With a wrong base, which C leaves open, glibc says nothing of the end, and musl that it is the start. */
static void tell_end(char **end, const char *text, struct parsed number) {
    if (end && (number.end || __cp_nondet_i1(INPUT))) *end = (char *)(number.end ? number.end : text);
}

static long to_long(const char *text, char **end, int base, _Bool c23) {
    struct parsed number = parse(text, base, c23, LONG_LIMIT, LONG_LIMIT + 1);
    tell_end(end, text, number);
    return (long)signed_value(number);
}

static long long to_long_long(const char *text, char **end, int base, _Bool c23) {
    struct parsed number = parse(text, base, c23, LONG_LONG_LIMIT, LONG_LONG_LIMIT + 1);
    tell_end(end, text, number);
    return signed_value(number);
}

/* Unsigned results wrap under '-' but saturate at the same limit with either sign (7.22.1.4p8). */
static unsigned long long unsigned_value(struct parsed number) {
    return number.negative && !number.overflow ? 0 - number.magnitude : number.magnitude;
}

static unsigned long to_unsigned_long(const char *text, char **end, int base, _Bool c23) {
    struct parsed number = parse(text, base, c23, UNSIGNED_LONG_LIMIT, UNSIGNED_LONG_LIMIT);
    tell_end(end, text, number);
    return (unsigned long)unsigned_value(number);
}

static unsigned long long to_unsigned_long_long(const char *text, char **end, int base, _Bool c23) {
    struct parsed number = parse(text, base, c23, UNSIGNED_LONG_LONG_LIMIT, UNSIGNED_LONG_LONG_LIMIT);
    tell_end(end, text, number);
    return unsigned_value(number);
}

/* strtol, strtoll, strtoul, strtoull, strtoimax, strtoumax: C17 7.22.1.4, 7.8.2.3. */
long strtol(const char *s, char **end, int base) { return to_long(s, end, base, 0); }
long long strtoll(const char *s, char **end, int base) { return to_long_long(s, end, base, 0); }
long long strtoq(const char *s, char **end, int base) { return to_long_long(s, end, base, 0); }
__INTMAX_TYPE__ strtoimax(const char *s, char **end, int base) { return to_long_long(s, end, base, 0); }
unsigned long strtoul(const char *s, char **end, int base) { return to_unsigned_long(s, end, base, 0); }
unsigned long long strtoull(const char *s, char **end, int base) {
    return to_unsigned_long_long(s, end, base, 0);
}
unsigned long long strtouq(const char *s, char **end, int base) {
    return to_unsigned_long_long(s, end, base, 0);
}
__UINTMAX_TYPE__ strtoumax(const char *s, char **end, int base) {
    return to_unsigned_long_long(s, end, base, 0);
}

/* The names that glibc 2.38's headers give them under C23: "0b" is a prefix too. */
long __isoc23_strtol(const char *s, char **end, int base) { return to_long(s, end, base, 1); }
long long __isoc23_strtoll(const char *s, char **end, int base) { return to_long_long(s, end, base, 1); }
unsigned long __isoc23_strtoul(const char *s, char **end, int base) {
    return to_unsigned_long(s, end, base, 1);
}
unsigned long long __isoc23_strtoull(const char *s, char **end, int base) {
    return to_unsigned_long_long(s, end, base, 1);
}

/* The names in inline functions of old glibc headers; `group` is 0 there. */
long __strtol_internal(const char *s, char **end, int base, int group) {
    (void)group;
    return to_long(s, end, base, 0);
}
unsigned long __strtoul_internal(const char *s, char **end, int base, int group) {
    (void)group;
    return to_unsigned_long(s, end, base, 0);
}
long long __strtoll_internal(const char *s, char **end, int base, int group) {
    (void)group;
    return to_long_long(s, end, base, 0);
}
unsigned long long __strtoull_internal(const char *s, char **end, int base, int group) {
    (void)group;
    return to_unsigned_long_long(s, end, base, 0);
}

/* atoi, atol, atoll: C17 7.22.1.2. Undefined when the value does not fit; here strtol's value,
   converted, as in glibc. */
int atoi(const char *s) { return (int)to_long(s, NULL, 10, 0); }
long atol(const char *s) { return to_long(s, NULL, 10, 0); }
long long atoll(const char *s) { return to_long_long(s, NULL, 10, 0); }
