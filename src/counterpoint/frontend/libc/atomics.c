/* The compiler's library for atomic objects: the generic functions, to which objects go that no instruction of the target
   fits (structures, objects of odd sizes), and those of a fixed size (GCC's and LLVM's libatomic). There is one thread, so
   each is one plain step. Objects are compared as bytes, padding included (C17 7.17.7.4, DR 431). The names are the
   compiler's own, so that C can define them only as the symbols of other functions. */
#include "kernel.h"

#define NAMED(symbol) __asm__(symbol)

void atomic_load_bytes(size_t n, const void *object, void *result, int order) NAMED("__atomic_load");
void atomic_load_bytes(size_t n, const void *object, void *result, int order) {
    (void)order;
    __builtin_memmove(result, object, n);
}

void atomic_store_bytes(size_t n, void *object, const void *value, int order) NAMED("__atomic_store");
void atomic_store_bytes(size_t n, void *object, const void *value, int order) {
    (void)order;
    __builtin_memmove(object, value, n);
}

void atomic_exchange_bytes(size_t n, void *object, void *value, void *result, int order) NAMED("__atomic_exchange");
void atomic_exchange_bytes(size_t n, void *object, void *value, void *result, int order) {
    (void)order;
    byte *here = object, *new = value, *old = result;
    for (size_t i = 0; i < n; i++) { /* `value` and `result` may be one object */
        byte kept = here[i];
        here[i] = new[i];
        old[i] = kept;
    }
}

_Bool atomic_compare_exchange_bytes(size_t n, void *object, void *expected, const void *desired, int success,
                                    int failure) NAMED("__atomic_compare_exchange");
_Bool atomic_compare_exchange_bytes(size_t n, void *object, void *expected, const void *desired, int success,
                                    int failure) {
    (void)success, (void)failure;
    const byte *here = object, *wanted = expected;
    for (size_t i = 0; i < n; i++) {
        if (here[i] == wanted[i]) continue;
        __builtin_memmove(expected, object, n);
        return 0;
    }
    __builtin_memmove(object, desired, n);
    return 1;
}

/* Whether objects of a size need no lock: certain for what the targets' instructions do, else the library's choice. */
_Bool atomic_needs_no_lock(size_t n, const void *object) NAMED("__atomic_is_lock_free");
_Bool atomic_needs_no_lock(size_t n, const void *object) {
    (void)object;
    if (n == 1 || n == 2 || n == 4 || n == sizeof(void *)) return 1;
    return __cp_nondet_i1(INPUT);
}

#define FETCH(bytes, type, name, value) \
    type atomic_fetch_##name##_##bytes(void *object, type operand, int order) NAMED("__atomic_fetch_" #name "_" #bytes); \
    type atomic_fetch_##name##_##bytes(void *object, type operand, int order) { \
        (void)order; \
        type old; \
        __builtin_memcpy(&old, object, sizeof old); \
        type new = (type)(value); \
        __builtin_memcpy(object, &new, sizeof new); \
        return old; \
    }

#define SIZED(bytes, type) \
    type atomic_load_##bytes(const void *object, int order) NAMED("__atomic_load_" #bytes); \
    type atomic_load_##bytes(const void *object, int order) { \
        (void)order; \
        type value; \
        __builtin_memcpy(&value, object, sizeof value); \
        return value; \
    } \
    void atomic_store_##bytes(void *object, type value, int order) NAMED("__atomic_store_" #bytes); \
    void atomic_store_##bytes(void *object, type value, int order) { \
        (void)order; \
        __builtin_memcpy(object, &value, sizeof value); \
    } \
    _Bool atomic_compare_exchange_##bytes(void *object, void *expected, type desired, int success, int failure) \
        NAMED("__atomic_compare_exchange_" #bytes); \
    _Bool atomic_compare_exchange_##bytes(void *object, void *expected, type desired, int success, int failure) { \
        (void)success, (void)failure; \
        type old, wanted; \
        __builtin_memcpy(&old, object, sizeof old); \
        __builtin_memcpy(&wanted, expected, sizeof wanted); \
        if (old == wanted) __builtin_memcpy(object, &desired, sizeof desired); \
        else __builtin_memcpy(expected, &old, sizeof old); \
        return old == wanted; \
    } \
    type atomic_exchange_##bytes(void *object, type operand, int order) NAMED("__atomic_exchange_" #bytes); \
    type atomic_exchange_##bytes(void *object, type operand, int order) { \
        (void)order; \
        type old; \
        __builtin_memcpy(&old, object, sizeof old); \
        __builtin_memcpy(object, &operand, sizeof operand); \
        return old; \
    } \
    FETCH(bytes, type, add, old + operand) \
    FETCH(bytes, type, sub, old - operand) \
    FETCH(bytes, type, and, old & operand) \
    FETCH(bytes, type, or, old | operand) \
    FETCH(bytes, type, xor, old ^ operand) \
    FETCH(bytes, type, nand, ~(old & operand))

SIZED(1, unsigned char)
SIZED(2, unsigned short)
SIZED(4, unsigned int)
SIZED(8, unsigned long long)
#ifdef __SIZEOF_INT128__
SIZED(16, unsigned __int128)
#endif
