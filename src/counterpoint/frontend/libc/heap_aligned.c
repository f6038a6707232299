/* Aligned allocation: C17 7.22.3.1, POSIX. Blocks are aligned for every standard type (8 bytes are
   relied on); an address that misses a greater alignment is UNSUPPORTED, never assumed away. */
#include "kernel.h"

static _Bool is_power_of_two(size_t n) { return n != 0 && (n & (n - 1)) == 0; }

static void *allocate_at(size_t alignment, size_t size) {
    void *block = ALLOCATE(size);
    if (block && alignment > 8 && ((size_t)block & (alignment - 1)) != 0) __cp_unsupported(0);
    return block;
}

/* aligned_alloc: C17 7.22.3.1; null for an alignment that is no power of two. */
void *aligned_alloc(size_t alignment, size_t size) {
    if (!is_power_of_two(alignment)) {
        *__errno_location() = EINVAL;
        return NULL;
    }
    return allocate_at(alignment, size);
}

/* memalign: SunOS and glibc. */
void *memalign(size_t alignment, size_t size) {
    if (!is_power_of_two(alignment)) {
        *__errno_location() = EINVAL;
        return NULL;
    }
    return allocate_at(alignment, size);
}

/* posix_memalign: POSIX; *result is untouched on failure. */
int posix_memalign(void **result, size_t alignment, size_t size) {
    if (!is_power_of_two(alignment) || alignment < sizeof(void *)) return EINVAL;
    void *block = allocate_at(alignment, size);
    if (!block) return ENOMEM;
    *result = block;
    return 0;
}
