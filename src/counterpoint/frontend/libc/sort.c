/* qsort and bsearch: C17 7.22.5. The standard leaves the algorithm open; insertion sort is stable and
   its loops are the easiest to reason about. The comparison function is called as the program's.
   Which elements are compared, how often and in which order is open as well: one pair more is compared
   before the others, or none, with a result that nothing depends on. */
#include "kernel.h"

typedef int comparison(const void *, const void *);
typedef int comparison_with(const void *, const void *, void *);

/* Element widths of the basic types move as one value, which keeps memory's cells whole. */
static void exchange(byte *a, byte *b, size_t size) {
    if (size == 4) {
        unsigned kept;
        __builtin_memcpy(&kept, a, 4);
        __builtin_memcpy(a, b, 4);
        __builtin_memcpy(b, &kept, 4);
    } else if (size == 8) {
        unsigned long long kept;
        __builtin_memcpy(&kept, a, 8);
        __builtin_memcpy(a, b, 8);
        __builtin_memcpy(b, &kept, 8);
    } else {
        for (size_t i = 0; i < size; i++) {
            byte kept = a[i];
            a[i] = b[i];
            b[i] = kept;
        }
    }
}

static byte *any_of(byte *elements, size_t count, size_t size) {
    return elements + clamp(ANY_WORD(INPUT), count - 1) * size;
}

/* qsort: C17 7.22.5.2. The order of equal elements is unspecified; here it is kept, as in glibc. */
void qsort(void *base, size_t count, size_t size, comparison *compare) {
    byte *elements = base;
    if (count > 1 && __cp_nondet_i1(INPUT)) compare(any_of(elements, count, size), any_of(elements, count, size));
    for (size_t sorted = 1; sorted < count; sorted++)
        for (size_t i = sorted; i > 0; i--) {
            byte *right = elements + i * size, *left = right - size;
            if (compare(left, right) <= 0) break;
            exchange(left, right, size);
        }
}

/* qsort_r: POSIX.1-2024 and GNU; passes `extra` to each comparison. */
void qsort_r(void *base, size_t count, size_t size, comparison_with *compare, void *extra) {
    byte *elements = base;
    if (count > 1 && __cp_nondet_i1(INPUT))
        compare(any_of(elements, count, size), any_of(elements, count, size), extra);
    for (size_t sorted = 1; sorted < count; sorted++)
        for (size_t i = sorted; i > 0; i--) {
            byte *right = elements + i * size, *left = right - size;
            if (compare(left, right, extra) <= 0) break;
            exchange(left, right, size);
        }
}

/* bsearch: C17 7.22.5.1. Which of several equal elements is found is unspecified; here the same as
   in glibc and musl's bisection. */
void *bsearch(const void *key, const void *base, size_t count, size_t size, comparison *compare) {
    const byte *elements = base;
    if (count > 0 && __cp_nondet_i1(INPUT)) compare(key, any_of((byte *)base, count, size));
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const byte *candidate = elements + middle * size;
        int order = compare(key, candidate);
        if (order == 0) return (void *)candidate;
        if (order < 0) high = middle;
        else low = middle + 1;
    }
    return NULL;
}
