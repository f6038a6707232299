/* Comparing and searching memory: C17 7.24.4.1, 7.24.5.1 and GNU relatives. Bytes are read one
   after the other and none after the one that decides. */
#include "kernel.h"

/* Both arrays have n bytes, also behind a difference (C17 7.24.1p2): with the first ones, which are read anyway, the
   last ones are in the same objects. */
static void read_last(const volatile byte *a, const volatile byte *b, size_t n) {
#ifndef COUNTERPOINT_SKIP_OUTPUT
    if (n > 0) (void)(a[n - 1] + b[n - 1]);
#else
    (void)a, (void)b, (void)n;
#endif
}

/* memcmp: C17 7.24.4.1. The result's size is unspecified; here the difference of the bytes. */
int memcmp(const void *a, const void *b, size_t n) {
    const byte *left = a, *right = b;
    read_last(a, b, n);
    for (size_t i = 0; i < n; i++)
        if (left[i] != right[i]) return left[i] - right[i];
    return 0;
}

/* bcmp: POSIX.1-2001 legacy; only zero or not zero is specified. */
int bcmp(const void *a, const void *b, size_t n) {
    const byte *left = a, *right = b;
    read_last(a, b, n);
    for (size_t i = 0; i < n; i++)
        if (left[i] != right[i]) return left[i] - right[i];
    return 0;
}

/* memchr: C17 7.24.5.1. */
void *memchr(const void *s, int c, size_t n) {
    const byte *at = s;
    for (size_t i = 0; i < n; i++)
        if (at[i] == (byte)c) return (void *)(at + i);
    return NULL;
}

/* memrchr: GNU; the last occurrence, searched from the end. */
void *memrchr(const void *s, int c, size_t n) {
    const byte *at = s;
    while (n > 0)
        if (at[--n] == (byte)c) return (void *)(at + n);
    return NULL;
}

void *__memrchr(const void *s, int c, size_t n) {
    const byte *at = s;
    while (n > 0)
        if (at[--n] == (byte)c) return (void *)(at + n);
    return NULL;
}

/* rawmemchr: GNU; the byte must be there, else the search leaves the object. */
void *rawmemchr(const void *s, int c) {
    const byte *at = s;
    while (*at != (byte)c) at++;
    return (void *)at;
}

void *__rawmemchr(const void *s, int c) {
    const byte *at = s;
    while (*at != (byte)c) at++;
    return (void *)at;
}

/* memmem: GNU; an empty needle is found at the start. */
void *memmem(const void *haystack, size_t length, const void *needle, size_t size) {
    const byte *text = haystack, *wanted = needle;
    for (size_t start = 0; size <= length && start <= length - size; start++) {
        size_t matched = 0;
        while (matched < size && text[start + matched] == wanted[matched]) matched++;
        if (matched == size) return (void *)(text + start);
    }
    return NULL;
}
