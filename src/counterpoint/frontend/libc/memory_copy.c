/* Copying and filling memory: C17 7.24.2 and 7.24.6, POSIX and GNU relatives.
   The compiler's intrinsics become the kernel's own memory instructions. */
#include "kernel.h"

/* memcpy: C17 7.24.2.1. */
void *memcpy(void *to, const void *from, size_t n) {
    __builtin_memcpy(to, from, n);
    return to;
}

/* memmove: C17 7.24.2.2. */
void *memmove(void *to, const void *from, size_t n) {
    __builtin_memmove(to, from, n);
    return to;
}

/* memset: C17 7.24.6.1. */
void *memset(void *to, int c, size_t n) {
    __builtin_memset(to, c, n);
    return to;
}

/* mempcpy: GNU; returns the byte after the last one written. */
void *mempcpy(void *to, const void *from, size_t n) {
    __builtin_memcpy(to, from, n);
    return (byte *)to + n;
}

void *__mempcpy(void *to, const void *from, size_t n) {
    __builtin_memcpy(to, from, n);
    return (byte *)to + n;
}

/* memccpy: POSIX; stops after the first copied byte equal to c. */
void *memccpy(void *to, const void *from, int c, size_t n) {
    byte *target = to;
    const byte *source = from;
    for (size_t i = 0; i < n; i++) {
        target[i] = source[i];
        if (source[i] == (byte)c) {
            __cp_check_apart(to, from, i + 1, INPUT);
            return target + i + 1;
        }
    }
    __cp_check_apart(to, from, n, INPUT);
    return NULL;
}

/* bcopy: POSIX.1-2001 legacy; the arguments are the other way round. */
void bcopy(const void *from, void *to, size_t n) { __builtin_memmove(to, from, n); }

/* bzero: POSIX.1-2001 legacy. */
void bzero(void *to, size_t n) { __builtin_memset(to, 0, n); }
void __bzero(void *to, size_t n) { __builtin_memset(to, 0, n); }
void explicit_bzero(void *to, size_t n) { __builtin_memset(to, 0, n); }

/* memset_explicit: C23 7.26.6.2. */
void *memset_explicit(void *to, int c, size_t n) {
    __builtin_memset(to, c, n);
    return to;
}

/* swab: POSIX; swaps adjacent bytes, an odd last byte is not written. */
void swab(const void *from, void *to, ssize_t n) {
    const byte *source = from;
    byte *target = to;
    for (ssize_t i = 0; i + 1 < n; i += 2) {
        byte first = source[i];
        target[i] = source[i + 1];
        target[i + 1] = first;
    }
}
