/* strerror and relatives: C17 7.24.6.2. The text is a string of at most 63 arbitrary characters, in one static array
   as the standard allows; the real one is the same for the same number. */
#include "kernel.h"

static char *some_text(char *text, size_t size) {
    __cp_havoc(text, size, APPROXIMATED);
    text[size - 1] = 0;
    return text;
}

char *strerror(int number) {
    static char text[64];
    (void)number;
    return some_text(text, sizeof text);
}

/* strsignal: POSIX. */
char *strsignal(int number) {
    static char text[64];
    (void)number;
    return some_text(text, sizeof text);
}

/* strerror_r of POSIX (glibc's __xpg_strerror_r): fills the caller's array. */
int __xpg_strerror_r(int number, char *text, size_t size) {
    (void)number;
    if (size == 0) return ERANGE;
    some_text(text, size);
    return __cp_nondet_i1(INPUT) ? 0 : EINVAL;
}
