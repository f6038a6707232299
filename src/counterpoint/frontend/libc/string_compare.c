/* Comparing strings: C17 7.24.4; POSIX strings.h. Characters compare as unsigned char. The standard
   fixes the sign of the result only; here it is the difference, as in musl. C locale. */
#include "kernel.h"

/* strcmp: C17 7.24.4.2. */
int strcmp(const char *a, const char *b) {
    while (*a && *a == *b) {
        a++;
        b++;
    }
    return (byte)*a - (byte)*b;
}

/* strncmp: C17 7.24.4.4. */
int strncmp(const char *a, const char *b, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (a[i] != b[i]) return (byte)a[i] - (byte)b[i];
        if (a[i] == 0) return 0;
    }
    return 0;
}

/* strcoll: C17 7.24.4.3; in the C locale the order of strcmp. */
int strcoll(const char *a, const char *b) {
    while (*a && *a == *b) {
        a++;
        b++;
    }
    return (byte)*a - (byte)*b;
}

/* strxfrm: C17 7.24.4.5; in the C locale a copy. Returns the length; with a result of size or more
   the contents of `to` are indeterminate, here the first size bytes. */
size_t strxfrm(char *to, const char *from, size_t size) {
    size_t n = 0;
    while (from[n]) {
        if (n < size) to[n] = from[n];
        n++;
    }
    if (n < size) to[n] = 0;
    return n;
}

static int lower(char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : (byte)c; }

/* strcasecmp: POSIX, C locale. */
int strcasecmp(const char *a, const char *b) {
    while (*a && lower(*a) == lower(*b)) {
        a++;
        b++;
    }
    return lower(*a) - lower(*b);
}

/* strncasecmp: POSIX, C locale. */
int strncasecmp(const char *a, const char *b, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (lower(a[i]) != lower(b[i])) return lower(a[i]) - lower(b[i]);
        if (a[i] == 0) return 0;
    }
    return 0;
}
