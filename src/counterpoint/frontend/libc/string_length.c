/* strlen and strnlen: C17 7.24.6.3, POSIX. Reads up to and including the terminator. */
#include "kernel.h"

size_t strlen(const char *s) {
    size_t n = 0;
    while (s[n]) n++;
    return n;
}

size_t strnlen(const char *s, size_t limit) {
    size_t n = 0;
    while (n < limit && s[n]) n++;
    return n;
}

/* strnlen_s: C11 K.3.7.4.4. */
size_t strnlen_s(const char *s, size_t limit) {
    size_t n = 0;
    if (!s) return 0;
    while (n < limit && s[n]) n++;
    return n;
}
