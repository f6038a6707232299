/* Cutting strings into tokens: C17 7.24.5.8, POSIX strtok_r, BSD strsep. */
#include "kernel.h"

static int is_one_of(char c, const char *set) {
    for (; *set; set++)
        if (*set == c) return 1;
    return 0;
}

/* As glibc: after the last token `rest` stays at the terminator, and starting with null before any
   string was given reads through null. */
static char *next_token(char *s, const char *separators, char **rest) {
    if (!s) s = *rest;
    while (*s && is_one_of(*s, separators)) s++;
    char *end = s;
    while (*end && !is_one_of(*end, separators)) end++;
    *rest = end;
    if (end == s) return NULL;
    if (*end) {
        *end = 0;
        *rest = end + 1;
    }
    return s;
}

/* strtok: C17 7.24.5.8; the state is the library's. */
char *strtok(char *s, const char *separators) {
    static char *rest;
    return next_token(s, separators, &rest);
}

char *strtok_r(char *s, const char *separators, char **rest) { return next_token(s, separators, rest); }
char *__strtok_r(char *s, const char *separators, char **rest) { return next_token(s, separators, rest); }

/* strsep: BSD; unlike strtok it returns empty tokens. */
char *strsep(char **rest, const char *separators) {
    char *s = *rest;
    if (!s) return NULL;
    char *end = s;
    while (*end && !is_one_of(*end, separators)) end++;
    if (*end) {
        *end = 0;
        *rest = end + 1;
    } else {
        *rest = NULL;
    }
    return s;
}
