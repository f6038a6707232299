/* The pieces of formatted input, C17 7.21.6.2: what a call of the scanf family with a literal format is
   made of. The call's result k says how many conversions were assigned, the first ones; each piece
   gets k and its own index among those that assign. */
#include "kernel.h"

/* scanf, fscanf of so many assigning conversions: EOF (-1) to all of them. */
int __model_scan_count(int conversions) {
    return (int)clamp(__cp_nondet_i32(INPUT), (size_t)conversions + 1) - 1;
}

/* sscanf: the text certainly gives one result, which is not modelled. */
int __model_scan_text_count(const char *text, int conversions) {
    while (*text) text++;
    return (int)clamp(__cp_nondet_i32(APPROXIMATED), (size_t)conversions + 1) - 1;
}

/* A number, or %c with a width, or %n: so many arbitrary bytes. */
void __model_scan_value(int assigned, int index, void *to, size_t size) {
    if (index < assigned) __cp_havoc(to, size, INPUT);
}

static _Bool is_space(byte c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* %s and %[ of at most `width` characters ((size_t)-1: no limit), and a terminator. `any` allows white
   space too, as a set may. */
void __model_scan_string(int assigned, int index, char *to, size_t width, _Bool any) {
    size_t n = 0;
    if (index >= assigned) return;
    do {
        byte c = __cp_nondet_i8(INPUT);
        to[n++] = !any && is_space(c) ? '0' : (char)c;
    } while (n < width && __cp_nondet_i1(INPUT));
    to[n] = 0;
}
