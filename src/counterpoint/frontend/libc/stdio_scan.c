/* Formatted input: C17 7.21.6.2. Every directive may fail, and the call ends with it; what is stored is
   arbitrary within the conversion's type and width. For sscanf, whose text is given, all that is
   APPROXIMATED. Wide characters, long double, pointers, numbered arguments and the width of a
   number that is not decimal are UNSUPPORTED. */
#include "format_length.h"
#include "stream.h"

struct scanner {
    struct arguments from;
    int assigned;
    _Bool text_is_given, approximated;
};

/* What the text given to sscanf decides, or a character that was put back. */
static _Bool sscanf_truth(void) { return __cp_nondet_i1(APPROXIMATED); }
static char sscanf_character(void) { return (char)__cp_nondet_i8(APPROXIMATED); }
static long long sscanf_number(void) { return (long long)__cp_nondet_i64(APPROXIMATED); }
static double sscanf_double(void) { return __cp_nondet_double(APPROXIMATED); }
static float sscanf_float(void) { return __cp_nondet_float(APPROXIMATED); }

static _Bool any_truth(const struct scanner *s) {
    return s->approximated ? sscanf_truth() : __cp_nondet_i1(INPUT);
}

static char any_character(const struct scanner *s) {
    return s->approximated ? sscanf_character() : (char)__cp_nondet_i8(INPUT);
}

static long long any_number(const struct scanner *s) {
    return s->approximated ? sscanf_number() : (long long)__cp_nondet_i64(INPUT);
}

static double any_double(const struct scanner *s) {
    return s->approximated ? sscanf_double() : __cp_nondet_double(INPUT);
}

static float any_float(const struct scanner *s) {
    return s->approximated ? sscanf_float() : __cp_nondet_float(INPUT);
}

static _Bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* The result when a directive fails: what was assigned, or EOF if input ended before anything was. */
static int scan_result(const struct scanner *s) {
    if (s->assigned || !any_truth(s)) return s->assigned;
    if (!s->text_is_given) ended();
    return -1;
}

/* A decimal number of at most `width` characters of which one may be the sign (0: of any length). */
static long long decimal(const struct scanner *s, int width) {
    long long value = any_number(s);
    long long most = 9, least = 0;
    if (width == 0 || width > 18) return value;
    for (int i = 1; i < width; i++) {
        least = -most;
        most = most * 10 + 9;
    }
    return value > most ? most : value < least ? least : value;
}

static void store_integer(struct scanner *s, enum length length, long long value) {
    switch (length) {
    case CHAR:
        *__builtin_va_arg(s->from.list, signed char *) = (signed char)value;
        break;
    case SHORT:
        *__builtin_va_arg(s->from.list, short *) = (short)value;
        break;
    case INT:
        *__builtin_va_arg(s->from.list, int *) = (int)value;
        break;
    case LONG:
        *__builtin_va_arg(s->from.list, long *) = (long)value;
        break;
    default:
        *__builtin_va_arg(s->from.list, long long *) = value;
    }
}

static void store_double(struct scanner *s, enum length length) {
    if (length == LONG) *__builtin_va_arg(s->from.list, double *) = any_double(s);
    else *__builtin_va_arg(s->from.list, float *) = any_float(s);
}

/* Whether c is in the set of a %[ directive, which starts behind its '[' (C17 7.21.6.2p12). */
static _Bool is_in_set(const char *set, char c) {
    _Bool inverted = *set == '^', found = 0;
    if (inverted) set++;
    const char *first = set;
    for (; *set != ']' || set == first; set++) {
        if (*set == 0) __cp_unsupported(0);
        if (set[0] == '-' && set != first && set[1] != ']') {
            if ((byte)set[-1] <= (byte)c && (byte)c <= (byte)set[1]) found = 1;
        } else if (*set == c) {
            found = 1;
        }
    }
    return found != inverted;
}

static const char *behind_set(const char *set) {
    if (*set == '^') set++;
    if (*set == ']') set++;
    while (*set && *set != ']') set++;
    if (*set == 0) __cp_unsupported(0);
    return set + 1;
}

/* %s (set is null) or %[: at least one character, at most `width` of them (0: any number), and a
   terminator. Stores nothing and fails when the first one does not fit. `to` is null for "%*s". */
static _Bool store_string(const struct scanner *s, char *to, const char *set, int width) {
    for (int n = 0;; n++) {
        char c = any_character(s);
        _Bool fits = set ? is_in_set(set, c) : !is_space(c);
        if (!fits && n == 0) return 0;
        if (!fits || (width > 0 && n == width)) {
            if (to) to[n] = 0;
            return 1;
        }
        if (to) to[n] = c;
    }
}

static void store_characters(const struct scanner *s, char *to, int width) {
    for (int i = 0; i < (width == 0 ? 1 : width); i++) to[i] = any_character(s);
}

/* The directive behind a '%'. *format moves behind it; false if it failed. */
static _Bool scan_directive(struct scanner *s, const char **format) {
    _Bool suppressed = **format == '*';
    if (suppressed) ++*format;
    int width = take_number(format);
    enum length length = take_length(format);
    char conversion = *(*format)++;
    const char *set = conversion == '[' ? *format : NULL;
    if (set) *format = behind_set(set);
    if (conversion == 'n') {
        if (!suppressed) store_integer(s, length, any_number(s) >> 33);
        return 1;
    }
    if (any_truth(s)) return 0;
    switch (conversion) {
    case '%':
        return 1;
    case 'd':
    case 'u':
        if (!suppressed) store_integer(s, length, decimal(s, width));
        break;
    case 'i':
    case 'o':
    case 'x':
    case 'X':
        if (width != 0) __cp_unsupported(0);
        if (!suppressed) store_integer(s, length, any_number(s));
        break;
    case 'a':
    case 'e':
    case 'f':
    case 'g':
    case 'A':
    case 'E':
    case 'F':
    case 'G':
        if (width != 0) __cp_unsupported(0);
        if (!suppressed) store_double(s, length);
        break;
    case 's':
    case '[':
        if (length != INT) __cp_unsupported(0);
        if (!store_string(s, suppressed ? NULL : __builtin_va_arg(s->from.list, char *), set, width)) return 0;
        break;
    case 'c':
        if (length != INT) __cp_unsupported(0);
        if (!suppressed) store_characters(s, __builtin_va_arg(s->from.list, char *), width);
        break;
    default:
        __cp_unsupported(0);
    }
    if (!suppressed) s->assigned++;
    return 1;
}

static int scan(const char *format, _Bool text_is_given, __builtin_va_list arguments) {
    struct scanner s = {.text_is_given = text_is_given, .approximated = text_is_given || __cp_pushed_back};
    __builtin_va_copy(s.from.list, arguments);
    while (*format) {
        char c = *format++;
        if (is_space(c)) continue;
        _Bool matched = c == '%' ? scan_directive(&s, &format) : !any_truth(&s);
        if (!matched) return scan_result(&s);
    }
    __builtin_va_end(s.from.list);
    return s.assigned;
}

static int values_of_text(const char *text, const char *format, __builtin_va_list arguments) {
    while (*text) text++;
    return scan(format, 1, arguments);
}

/* scanf, fscanf, sscanf and the v-versions: C17 7.21.6.4, .2, .7, .11, .9, .14; under the names that
   glibc's headers give them, too. */
#define SCAN(call) \
    __builtin_va_list arguments; \
    __builtin_va_start(arguments, format); \
    int assigned = call; \
    __builtin_va_end(arguments); \
    return assigned;

int scanf(const char *format, ...) { SCAN(scan(format, 0, arguments)) }
int __isoc99_scanf(const char *format, ...) { SCAN(scan(format, 0, arguments)) }
int __isoc23_scanf(const char *format, ...) { SCAN(scan(format, 0, arguments)) }
int fscanf(void *stream, const char *format, ...) { use_stream(stream); SCAN(scan(format, 0, arguments)) }
int __isoc99_fscanf(void *stream, const char *format, ...) { use_stream(stream); SCAN(scan(format, 0, arguments)) }
int __isoc23_fscanf(void *stream, const char *format, ...) { use_stream(stream); SCAN(scan(format, 0, arguments)) }
int sscanf(const char *text, const char *format, ...) { SCAN(values_of_text(text, format, arguments)) }
int __isoc99_sscanf(const char *text, const char *format, ...) {
    SCAN(values_of_text(text, format, arguments))
}
int __isoc23_sscanf(const char *text, const char *format, ...) {
    SCAN(values_of_text(text, format, arguments))
}

int vscanf(const char *format, __builtin_va_list arguments) { return scan(format, 0, arguments); }
int vfscanf(void *stream, const char *format, __builtin_va_list arguments) {
    use_stream(stream);
    return scan(format, 0, arguments);
}
int vsscanf(const char *text, const char *format, __builtin_va_list arguments) {
    return values_of_text(text, format, arguments);
}
