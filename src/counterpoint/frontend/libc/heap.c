/* The heap: C17 7.22.3. Allocation succeeds unless the command's options say otherwise; a size of 0 gives a fresh block of size 0 (7.22.3p1
   leaves the choice). */
#include "kernel.h"

/* malloc: C17 7.22.3.4. */
void *malloc(size_t size) { return ALLOCATE(size); }

/* calloc: C17 7.22.3.2; null when the product overflows, as every libc does. */
void *calloc(size_t count, size_t size) {
    size_t total;
    if (__builtin_mul_overflow(count, size, &total)) return no_memory();
    return ALLOCATE_ZEROED(total);
}

/* free: C17 7.22.3.3. */
void free(void *block) { __cp_free(block); }

/* cfree: old BSD and glibc before 2.26. */
void cfree(void *block) { __cp_free(block); }

/* Always moves: the old pointer's value is indeterminate after the call (C17 6.2.4p2), so nothing
   that is defined tells. Size 0 frees and returns null as in glibc (7.22.3.5 leaves the choice). */
static void *resize(void *block, size_t size) {
    if (!block) return ALLOCATE(size);
    if (size == 0) {
        __cp_free(block);
        return NULL;
    }
    size_t old = __cp_object_size(block);
    void *moved = ALLOCATE(size);
    if (!moved) return NULL;
    __builtin_memcpy(moved, block, old < size ? old : size);
    __cp_free(block);
    return moved;
}

/* realloc: C17 7.22.3.5. */
void *realloc(void *block, size_t size) { return resize(block, size); }

/* reallocarray: POSIX.1-2024; null and nothing changed when the product overflows. */
void *reallocarray(void *block, size_t count, size_t size) {
    size_t total;
    if (__builtin_mul_overflow(count, size, &total)) return no_memory();
    return resize(block, total);
}
