/* Formatted output to streams: C17 7.21.6.1, .3, .8, .10. The text goes nowhere. Where invalid reads are
   errors the format and its string arguments are read; else nothing is. */
#include "format_length.h"
#include "stream.h"

/* The number of characters, or -1 on failure as in glibc and musl: certain, but not computed here. */
static int printed(void) { return count_or_failure((int)__cp_nondet_i32(APPROXIMATED)); }

#ifdef COUNTERPOINT_SKIP_OUTPUT
#define PRINT(format) (void)(format)
#define PRINT_LIST(format, list) (void)(format), (void)(list)
#else

static void take_integer(struct arguments *from, enum length length) {
    if (length == LONG_LONG) (void)__builtin_va_arg(from->list, long long);
    else if (length == LONG) (void)__builtin_va_arg(from->list, long);
    else (void)__builtin_va_arg(from->list, int);
}

/* Width or precision: a number, or one from the list. */
static int take_count(const char **format, struct arguments *from) {
    if (**format != '*') return take_number(format);
    ++*format;
    return __builtin_va_arg(from->list, int);
}

/* Takes the argument of the directive behind a '%' and reads what it prints. */
static const char *read_directive(const char *format, struct arguments *from) {
    while (*format == '-' || *format == '+' || *format == ' ' || *format == '#' || *format == '0') format++;
    take_count(&format, from);
    int precision = -1;
    if (*format == '.') {
        format++;
        precision = take_count(&format, from);
    }
    enum length length = take_length(&format);
    switch (*format) {
    case '%':
    case 'm':
        break;
    case 's': {
        const char *s = __builtin_va_arg(from->list, const char *);
        if (length != INT) __cp_unsupported(0);
        for (size_t n = 0; (precision < 0 || n < (size_t)precision) && s[n]; n++) continue;
        break;
    }
    case 'd':
    case 'i':
    case 'u':
    case 'o':
    case 'x':
    case 'X':
    case 'c':
        take_integer(from, length);
        break;
    case 'a':
    case 'A':
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
        (void)__builtin_va_arg(from->list, double);
        break;
    case 'p':
        (void)__builtin_va_arg(from->list, void *);
        break;
    default: /* also %n: numbers are not formatted, so that nothing counts the characters */
        __cp_unsupported(0);
    }
    return format + 1;
}

static void print(const char *format, __builtin_va_list arguments) {
    struct arguments from;
    __builtin_va_copy(from.list, arguments);
    while (*format)
        if (*format++ == '%') format = read_directive(format, &from);
    __builtin_va_end(from.list);
}

#define PRINT_LIST(format, list) print(format, list)
#define PRINT(format) \
    __builtin_va_list arguments; \
    __builtin_va_start(arguments, format); \
    print(format, arguments); \
    __builtin_va_end(arguments)
#endif

int printf(const char *format, ...) {
    PRINT(format);
    return printed();
}

int fprintf(void *stream, const char *format, ...) {
    use_stream(stream);
    PRINT(format);
    return printed();
}

/* dprintf: POSIX. */
int dprintf(int descriptor, const char *format, ...) {
    (void)descriptor;
    PRINT(format);
    return printed();
}

/* glibc's fortified names. */
int __printf_chk(int flag, const char *format, ...) {
    (void)flag;
    PRINT(format);
    return printed();
}

int __fprintf_chk(void *stream, int flag, const char *format, ...) {
    use_stream(stream);
    (void)flag;
    PRINT(format);
    return printed();
}

/* The list is left as it was, which the standard allows. */
int vprintf(const char *format, __builtin_va_list arguments) {
    PRINT_LIST(format, arguments);
    return printed();
}

int vfprintf(void *stream, const char *format, __builtin_va_list arguments) {
    use_stream(stream);
    PRINT_LIST(format, arguments);
    return printed();
}
