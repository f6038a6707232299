/* Wide strings: C17 7.29.4. Exact; characters compare as wchar_t does, whatever its sign. */
#include "kernel.h"

typedef __WCHAR_TYPE__ wide;

static size_t length(const wide *s) {
    size_t n = 0;
    while (s[n]) n++;
    return n;
}

static wide *copy(wide *to, const wide *from, size_t n) {
    for (size_t i = 0; i < n; i++) to[i] = from[i];
    return to;
}

size_t wcslen(const wide *s) { return length(s); }
size_t wcsnlen(const wide *s, size_t limit) {
    size_t n = 0;
    while (n < limit && s[n]) n++;
    return n;
}

wide *wcscpy(wide *to, const wide *from) { return copy(to, from, length(from) + 1); }
wide *wcpcpy(wide *to, const wide *from) {
    size_t n = length(from);
    return copy(to, from, n + 1) + n;
}

wide *wcsncpy(wide *to, const wide *from, size_t n) {
    size_t i = 0;
    for (; i < n && from[i]; i++) to[i] = from[i];
    for (; i < n; i++) to[i] = 0;
    return to;
}

wide *wcscat(wide *to, const wide *from) {
    copy(to + length(to), from, length(from) + 1);
    return to;
}

wide *wcsncat(wide *to, const wide *from, size_t n) {
    wide *end = to + length(to);
    for (; n > 0 && *from; n--) *end++ = *from++;
    *end = 0;
    return to;
}

static int order(wide a, wide b) { return a < b ? -1 : a > b; }

int wcscmp(const wide *a, const wide *b) {
    for (; *a && *a == *b; a++) b++;
    return order(*a, *b);
}
int wcscoll(const wide *a, const wide *b) {
    for (; *a && *a == *b; a++) b++;
    return order(*a, *b);
}

int wcsncmp(const wide *a, const wide *b, size_t n) {
    for (; n > 0; n--, a++, b++)
        if (*a != *b || !*a) return order(*a, *b);
    return 0;
}

wide *wcschr(const wide *s, wide c) {
    for (;; s++) {
        if (*s == c) return (wide *)s;
        if (!*s) return NULL;
    }
}

wide *wcsrchr(const wide *s, wide c) {
    const wide *last = NULL;
    for (;; s++) {
        if (*s == c) last = s;
        if (!*s) return (wide *)last;
    }
}

static _Bool has(const wide *set, wide c) {
    while (*set && *set != c) set++;
    return *set != 0;
}

size_t wcsspn(const wide *s, const wide *set) {
    size_t n = 0;
    while (s[n] && has(set, s[n])) n++;
    return n;
}

size_t wcscspn(const wide *s, const wide *set) {
    size_t n = 0;
    while (s[n] && !has(set, s[n])) n++;
    return n;
}

wide *wcspbrk(const wide *s, const wide *set) {
    while (*s && !has(set, *s)) s++;
    return *s ? (wide *)s : NULL;
}

wide *wcsstr(const wide *s, const wide *part) {
    for (;; s++) {
        size_t n = 0;
        while (part[n] && s[n] == part[n]) n++;
        if (!part[n]) return (wide *)s;
        if (!*s) return NULL;
    }
}

wide *wcstok(wide *s, const wide *separators, wide **rest) {
    if (!s) s = *rest;
    while (*s && has(separators, *s)) s++;
    if (!*s) {
        *rest = s;
        return NULL;
    }
    wide *end = s;
    while (*end && !has(separators, *end)) end++;
    *rest = *end ? end + 1 : end;
    *end = 0;
    return s;
}

wide *wcsdup(const wide *s) {
    size_t n = length(s) + 1;
    wide *made = ALLOCATE(n * sizeof(wide));
    return made ? copy(made, s, n) : NULL;
}

wide *wmemcpy(wide *to, const wide *from, size_t n) {
    __builtin_memcpy(to, from, n * sizeof(wide));
    return to;
}

wide *wmempcpy(wide *to, const wide *from, size_t n) {
    __builtin_memcpy(to, from, n * sizeof(wide));
    return to + n;
}

wide *wmemmove(wide *to, const wide *from, size_t n) {
    __builtin_memmove(to, from, n * sizeof(wide));
    return to;
}

wide *wmemset(wide *to, wide c, size_t n) {
    for (size_t i = 0; i < n; i++) to[i] = c;
    return to;
}

/* Both arrays have n elements, also behind a difference (C17 7.29.4.4.5). */
int wmemcmp(const wide *a, const wide *b, size_t n) {
#ifndef COUNTERPOINT_SKIP_OUTPUT
    if (n > 0) (void)(((const volatile wide *)a)[n - 1] + ((const volatile wide *)b)[n - 1]);
#endif
    for (size_t i = 0; i < n; i++)
        if (a[i] != b[i]) return order(a[i], b[i]);
    return 0;
}

wide *wmemchr(const wide *s, wide c, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (s[i] == c) return (wide *)s + i;
    return NULL;
}
