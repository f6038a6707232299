// FALSE(overlap) property=overlap define=COPY model=ILP32,LP64 prepare=default,none
// FALSE(overlap) property=overlap define=STRING model=ILP32,LP64 prepare=default,none
// FALSE(overlap) property=overlap define=ASSIGNMENT
// FALSE(overlap) property=overlap define=EXTERNAL
// FALSE(valid-deref) property=memory-safety define=COPY
// FALSE(valid-deref) property=memory-safety define=OUTSIDE
// TRUE property=overlap define=OUTSIDE
// TRUE property=overlap model=ILP32,LP64 prepare=default,none
// Copies that read what they write. Ranges that leave their objects count as far as they lie inside.
#include <stdlib.h>
#include <string.h>
extern int __VERIFIER_nondet_int(void);
extern char *somewhere(void);
struct large { int numbers[10]; };
union { struct { int before; struct large value; } shifted; struct large value; } both;

static void copy(char *to, const char *from, int n) { memcpy(to, from, (size_t)n); }

int main(void) {
    char text[16] = "abcdefg";
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 8)
        return 0;
#if defined(COPY)
    copy(text, text + 4, n);
#elif defined(STRING)
    strcpy(text + 1, text);           /* overwrites the terminator before it gets there */
#elif defined(ASSIGNMENT)
    both.value = both.shifted.value;
#elif defined(EXTERNAL)
    char *there = somewhere();
    if (there)
        memcpy(there, there + 1, 10);
#elif defined(OUTSIDE)
    memcpy(text, text + 8, 100);      /* eight bytes there, which do not overlap: the rest is no copy at all */
#else
    char *block = calloc(20, 1), *one = somewhere(), *other = somewhere();
    memmove(text + 1, text, (size_t)n);
    memcpy(text, text, (size_t)n);
    copy(text, text + 8, n);
    copy(block + n, block + 8 + n, 8);
    if (one && other)
        memcpy(one, other, 10);
    strcpy(text, "abc");
    strcat(text, "def");
    both.value = both.value;
    free(block);
#endif
    return 0;
}
