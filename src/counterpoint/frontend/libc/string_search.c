/* Searching strings: C17 7.24.5. Every function reads up to and including the terminator at most,
   so an unterminated array is an invalid read here, as it is in the real one. */
#include "kernel.h"

/* strchr: C17 7.24.5.2. */
char *strchr(const char *s, int c) {
    for (;; s++) {
        if (*s == (char)c) return (char *)s;
        if (*s == 0) return NULL;
    }
}

/* index: POSIX.1-2001 legacy name of strchr. */
char *index(const char *s, int c) {
    for (;; s++) {
        if (*s == (char)c) return (char *)s;
        if (*s == 0) return NULL;
    }
}

/* strchrnul: GNU; the terminator where strchr returns null. */
char *strchrnul(const char *s, int c) {
    while (*s && *s != (char)c) s++;
    return (char *)s;
}

char *__strchrnul(const char *s, int c) {
    while (*s && *s != (char)c) s++;
    return (char *)s;
}

/* strrchr: C17 7.24.5.5. */
char *strrchr(const char *s, int c) {
    const char *last = NULL;
    for (;; s++) {
        if (*s == (char)c) last = s;
        if (*s == 0) return (char *)last;
    }
}

/* rindex: POSIX.1-2001 legacy name of strrchr. */
char *rindex(const char *s, int c) {
    const char *last = NULL;
    for (;; s++) {
        if (*s == (char)c) last = s;
        if (*s == 0) return (char *)last;
    }
}

static int is_one_of(char c, const char *set) {
    for (; *set; set++)
        if (*set == c) return 1;
    return 0;
}

/* strspn: C17 7.24.5.6. */
size_t strspn(const char *s, const char *accept) {
    size_t n = 0;
    while (s[n] && is_one_of(s[n], accept)) n++;
    return n;
}

/* strcspn: C17 7.24.5.3. */
size_t strcspn(const char *s, const char *reject) {
    size_t n = 0;
    while (s[n] && !is_one_of(s[n], reject)) n++;
    return n;
}

/* strpbrk: C17 7.24.5.4. */
char *strpbrk(const char *s, const char *accept) {
    for (; *s; s++)
        if (is_one_of(*s, accept)) return (char *)s;
    return NULL;
}

/* strstr: C17 7.24.5.7. An empty needle is found at the start. */
char *strstr(const char *haystack, const char *needle) {
    for (;; haystack++) {
        size_t n = 0;
        while (needle[n] && haystack[n] == needle[n]) n++;
        if (needle[n] == 0) return (char *)haystack;
        if (*haystack == 0) return NULL;
    }
}

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

/* strcasestr: GNU, C locale. */
char *strcasestr(const char *haystack, const char *needle) {
    for (;; haystack++) {
        size_t n = 0;
        while (needle[n] && lower(haystack[n]) == lower(needle[n])) n++;
        if (needle[n] == 0) return (char *)haystack;
        if (*haystack == 0) return NULL;
    }
}
