/* Copying strings: C17 7.24.2.3, 7.24.2.4, 7.24.3; POSIX and BSD relatives. Sources are read up to
   and including the terminator, targets written where the standard says and nowhere else. Source and
   target must not overlap, nor be the same; that they did is noticed when the copy is made. */
#include "kernel.h"

/* to[0..n) and from[0..n) share no byte. __cp_check_apart allows that they are the same, as memcpy does. */
static inline void check_apart(char *to, const char *from, size_t n) {
    int same = to == from && n > 0;
    __cp_check_apart(to, from + same, n + (size_t)same, INPUT);
}

static char *copy(char *to, const char *from) {
    char *end = to;
    const char *read = from;
    while ((*end = *read)) {
        end++;
        read++;
    }
    check_apart(to, from, (size_t)(end - to) + 1);
    return end;
}

/* strcpy: C17 7.24.2.3. */
char *strcpy(char *to, const char *from) {
    copy(to, from);
    return to;
}

/* stpcpy: POSIX; returns the terminator that was written. */
char *stpcpy(char *to, const char *from) { return copy(to, from); }
char *__stpcpy(char *to, const char *from) { return copy(to, from); }

static char *copy_padded(char *to, const char *from, size_t n) {
    size_t i = 0;
    while (i < n && from[i]) {
        to[i] = from[i];
        i++;
    }
    check_apart(to, from, i < n ? i + 1 : i);
    char *end = to + i;
    _Bool met = 0;
    for (; i < n; i++) {
        met |= to + i == from;
        to[i] = 0;
    }
    if (met) check_apart(to, to, 1);
    return end;
}

/* strncpy: C17 7.24.2.4. Writes exactly n bytes, perhaps without a terminator. */
char *strncpy(char *to, const char *from, size_t n) {
    copy_padded(to, from, n);
    return to;
}

/* stpncpy: POSIX; returns the first padding byte, or to + n. */
char *stpncpy(char *to, const char *from, size_t n) { return copy_padded(to, from, n); }
char *__stpncpy(char *to, const char *from, size_t n) { return copy_padded(to, from, n); }

/* strcat: C17 7.24.3.1. */
char *strcat(char *to, const char *from) {
    char *end = to;
    while (*end) end++;
    copy(end, from);
    return to;
}

/* strncat: C17 7.24.3.2. At most n characters and always a terminator: n + 1 bytes. */
char *strncat(char *to, const char *from, size_t n) {
    char *end = to;
    while (*end) end++;
    size_t i = 0;
    while (i < n && from[i]) {
        end[i] = from[i];
        i++;
    }
    end[i] = 0;
    check_apart(end, from, i);
    return to;
}

/* strlcpy: POSIX.1-2024; returns the length of the source. */
size_t strlcpy(char *to, const char *from, size_t size) {
    size_t n = 0;
    while (from[n]) {
        if (n + 1 < size) to[n] = from[n];
        n++;
    }
    if (size > 0) to[n < size ? n : size - 1] = 0;
    return n;
}

/* strlcat: POSIX.1-2024; a target without terminator in its size bytes stays as it is. */
size_t strlcat(char *to, const char *from, size_t size) {
    size_t start = 0, n = 0;
    while (start < size && to[start]) start++;
    while (from[n]) {
        if (start + n + 1 < size) to[start + n] = from[n];
        n++;
    }
    if (start < size) to[start + n < size ? start + n : size - 1] = 0;
    return start + n;
}
