/* Length modifiers of formatted input and output: C17 7.21.6.1p7, 7.21.6.2p11. */
#include "kernel.h"

enum length { CHAR, SHORT, INT, LONG, LONG_LONG };

/* The integer type that a modifier names; *format moves behind it. "L" (long double) is UNSUPPORTED. */
static inline enum length take_length(const char **format) {
    const char *s = *format;
    enum length result = INT;
    if (s[0] == 'h') result = s[1] == 'h' ? CHAR : SHORT;
    else if (s[0] == 'l') result = s[1] == 'l' ? LONG_LONG : LONG;
    else if (s[0] == 'j' || s[0] == 'q') result = LONG_LONG;
    else if (s[0] == 'z' || s[0] == 't') result = sizeof(size_t) == sizeof(long) ? LONG : INT;
    else if (s[0] == 'L') __cp_unsupported(0);
    else return INT;
    *format = s + ((s[0] == 'h' || s[0] == 'l') && s[1] == s[0] ? 2 : 1);
    return result;
}

/* Decimal digits; *format moves behind them. More than 9 digits are UNSUPPORTED. */
static inline int take_number(const char **format) {
    int number = 0;
    for (; **format >= '0' && **format <= '9'; ++*format) {
        if (number > 99999999) __cp_unsupported(0);
        number = number * 10 + (**format - '0');
    }
    return number;
}

/* A list that functions can share: they get its address. */
struct arguments {
    __builtin_va_list list;
};
