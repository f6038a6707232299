/* The interlocked functions of Windows: one atomic step each, and nothing runs in between here. LONG is declared as
   long by Windows headers, and has 32 bits there. */
#include "kernel.h"

#define INTERLOCKED(prefix)                                                           \
    long prefix##Increment(long *at) { return *at = (long)((unsigned long)*at + 1); } \
    long prefix##Decrement(long *at) { return *at = (long)((unsigned long)*at - 1); } \
    long prefix##Exchange(long *at, long value) {                                     \
        long before = *at;                                                            \
        *at = value;                                                                  \
        return before;                                                                \
    }                                                                                 \
    long prefix##ExchangeAdd(long *at, long value) {                                  \
        long before = *at;                                                            \
        *at = (long)((unsigned long)before + (unsigned long)value);                   \
        return before;                                                                \
    }                                                                                 \
    long prefix##CompareExchange(long *at, long value, long expected) {               \
        long before = *at;                                                            \
        if (before == expected) *at = value;                                          \
        return before;                                                                \
    }

INTERLOCKED(Interlocked)
INTERLOCKED(_Interlocked)
