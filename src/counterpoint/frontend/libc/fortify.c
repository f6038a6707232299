/* The checked names that glibc's headers give string functions under _FORTIFY_SOURCE. A call that
   would leave the object ends the run (glibc: abort) before anything is written. */
#include "kernel.h"

static void must_fit(size_t wanted, size_t object_size) {
    if (wanted > object_size) __cp_stop(134);
}

static size_t length(const char *s) {
    size_t n = 0;
    while (s[n]) n++;
    return n;
}

static size_t length_at_most(const char *s, size_t limit) {
    size_t n = 0;
    while (n < limit && s[n]) n++;
    return n;
}

void *__memcpy_chk(void *to, const void *from, size_t n, size_t object_size) {
    must_fit(n, object_size);
    __builtin_memcpy(to, from, n);
    return to;
}

void *__memmove_chk(void *to, const void *from, size_t n, size_t object_size) {
    must_fit(n, object_size);
    __builtin_memmove(to, from, n);
    return to;
}

void *__memset_chk(void *to, int c, size_t n, size_t object_size) {
    must_fit(n, object_size);
    __builtin_memset(to, c, n);
    return to;
}

char *__strcpy_chk(char *to, const char *from, size_t object_size) {
    size_t n = length(from);
    must_fit(n + 1, object_size);
    __builtin_memcpy(to, from, n + 1);
    return to;
}

char *__stpcpy_chk(char *to, const char *from, size_t object_size) {
    size_t n = length(from);
    must_fit(n + 1, object_size);
    __builtin_memcpy(to, from, n + 1);
    return to + n;
}

char *__strncpy_chk(char *to, const char *from, size_t n, size_t object_size) {
    must_fit(n, object_size);
    size_t used = length_at_most(from, n);
    __builtin_memcpy(to, from, used);
    __builtin_memset(to + used, 0, n - used);
    return to;
}

char *__strcat_chk(char *to, const char *from, size_t object_size) {
    size_t start = length(to), n = length(from);
    must_fit(start + n + 1, object_size);
    __builtin_memcpy(to + start, from, n + 1);
    return to;
}

char *__strncat_chk(char *to, const char *from, size_t limit, size_t object_size) {
    size_t start = length(to), n = length_at_most(from, limit);
    must_fit(start + n + 1, object_size);
    __builtin_memcpy(to + start, from, n);
    to[start + n] = 0;
    return to;
}
