/* strdup and strndup: C23 7.26.6.4, POSIX. The copy is a heap block that the caller frees. */
#include "kernel.h"

static char *duplicate(const char *s, size_t n) {
    char *copy = ALLOCATE(n + 1);
    if (!copy) return NULL;
    for (size_t i = 0; i < n; i++) copy[i] = s[i];
    copy[n] = 0;
    return copy;
}

char *strdup(const char *s) {
    size_t n = 0;
    while (s[n]) n++;
    return duplicate(s, n);
}

char *__strdup(const char *s) {
    size_t n = 0;
    while (s[n]) n++;
    return duplicate(s, n);
}

char *strndup(const char *s, size_t limit) {
    size_t n = 0;
    while (n < limit && s[n]) n++;
    return duplicate(s, n);
}

char *__strndup(const char *s, size_t limit) {
    size_t n = 0;
    while (n < limit && s[n]) n++;
    return duplicate(s, n);
}
