/* What the code generator calls by itself: block memory operations, wide division, conversions, fmod. */
#include "runtime.h"

void *memcpy(void *target, const void *source, __SIZE_TYPE__ size) {
    u8 *to = target;
    const u8 *from = source;
    if (size < 32) {
        while (size--) *to++ = *from++;
        return target;
    }
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size)::"memory");
    return target;
}

void *memset(void *target, int byte, __SIZE_TYPE__ size) {
    u8 *to = target;
    if (size < 32) {
        while (size--) *to++ = (u8)byte;
        return target;
    }
    __asm__ volatile("rep stosb" : "+D"(to), "+c"(size) : "a"(byte) : "memory");
    return target;
}

void *memmove(void *target, const void *source, __SIZE_TYPE__ size) {
    u8 *to = target;
    const u8 *from = source;
    if ((word)to - (word)from >= size) return memcpy(target, source, size);
    while (size--) to[size] = from[size];
    return target;
}

int memcmp(const void *left, const void *right, __SIZE_TYPE__ size) {
    const u8 *a = left, *b = right;
    for (; size; a++, b++, size--)
        if (*a != *b) return *a < *b ? -1 : 1;
    return 0;
}

/* x87: exact for every finite pair; the partial remainder is repeated until it is complete. */
static long double remainder_of(long double x, long double y) {
    u16 status;
    do
        __asm__ volatile("fprem\nfnstsw %%ax" : "+t"(x), "=a"(status) : "u"(y));
    while (status & 0x400);
    return x;
}

double fmod(double x, double y) { return (double)remainder_of(x, y); }
float fmodf(float x, float y) { return (float)remainder_of(x, y); }

#if __SIZEOF_POINTER__ == 4
typedef u64 wide;
typedef i64 signed_wide;
#define NAME(a, b) a##di##b
#define WIDE_BITS 64
#else
typedef unsigned __int128 wide;
typedef __int128 signed_wide;
#define NAME(a, b) a##ti##b
#define WIDE_BITS 128
#endif

/* high:low / divisor with high < divisor: one instruction. */
static word divide_word(word high, word low, word divisor, word *remainder) {
    word quotient;
    __asm__("div %4" : "=a"(quotient), "=d"(*remainder) : "a"(low), "d"(high), "r"(divisor) : "cc");
    return quotient;
}

/* Word by word where the divisor is one word, else shift and subtract. */
static wide divide(wide dividend, wide divisor, wide *remainder) {
    if (!(divisor >> WIDE_BITS / 2)) {
        word rest, high = divide_word(0, (word)(dividend >> WIDE_BITS / 2), (word)divisor, &rest);
        word low = divide_word(rest, (word)dividend, (word)divisor, &rest);
        *remainder = rest;
        return (wide)high << WIDE_BITS / 2 | low;
    }
    wide quotient = 0, rest = 0;
    for (int bit = WIDE_BITS - 1; bit >= 0; bit--) {
        int carry = (int)(rest >> (WIDE_BITS - 1));
        rest = rest << 1 | (dividend >> bit & 1);
        if (carry || rest >= divisor) {
            rest -= divisor;
            quotient |= (wide)1 << bit;
        }
    }
    *remainder = rest;
    return quotient;
}

static wide magnitude(signed_wide value) { return value < 0 ? -(wide)value : (wide)value; }

wide NAME(__udiv, 3)(wide a, wide b) {
    wide rest;
    return divide(a, b, &rest);
}
wide NAME(__umod, 3)(wide a, wide b) {
    wide rest;
    divide(a, b, &rest);
    return rest;
}
signed_wide NAME(__div, 3)(signed_wide a, signed_wide b) {
    wide rest, quotient = divide(magnitude(a), magnitude(b), &rest);
    return (signed_wide)((a < 0) != (b < 0) ? -quotient : quotient);
}
signed_wide NAME(__mod, 3)(signed_wide a, signed_wide b) {
    wide rest;
    divide(magnitude(a), magnitude(b), &rest);
    return (signed_wide)(a < 0 ? -rest : rest);
}

#if __SIZEOF_POINTER__ == 4
u64 __fixunsdfdi(double value) {
    if (value < 9223372036854775808.0) return (u64)(i64)value;
    return (u64)(i64)(value - 9223372036854775808.0) ^ 0x8000000000000000ull;
}
u64 __fixunssfdi(float value) { return __fixunsdfdi(value); }
#else
/* The upper 64 bits of a value from 2^64 on; the last of them is also set for any 1 below, which is enough
   to round as the whole value does. `scale` is what they are to be multiplied with. */
static u64 upper(wide value, double *scale) {
    int below = 64 - __builtin_clzll((u64)(value >> 64));
    *scale = below == 64 ? 18446744073709551616.0 : (double)(1ull << below);
    return (u64)(value >> below) | ((value & (((wide)1 << below) - 1)) != 0);
}
double __floatuntidf(wide value) {
    double scale = 1;
    u64 bits = value >> 64 ? upper(value, &scale) : (u64)value;
    return (double)bits * scale;
}
float __floatuntisf(wide value) {
    double scale = 1;
    u64 bits = value >> 64 ? upper(value, &scale) : (u64)value;
    return (float)bits * (float)scale;
}
double __floattidf(signed_wide value) { return value < 0 ? -__floatuntidf(magnitude(value)) : __floatuntidf((wide)value); }
float __floattisf(signed_wide value) { return value < 0 ? -__floatuntisf(magnitude(value)) : __floatuntisf((wide)value); }

wide __fixunsdfti(double value) {
    if (value < 18446744073709551616.0) return (u64)value;
    double high = value / 18446744073709551616.0;
    u64 word_above = (u64)high;
    return (wide)word_above << 64 | (u64)((high - (double)word_above) * 18446744073709551616.0);
}
signed_wide __fixdfti(double value) { return (signed_wide)(value < 0 ? -__fixunsdfti(-value) : __fixunsdfti(value)); }
wide __fixunssfti(float value) { return __fixunsdfti(value); }
signed_wide __fixsfti(float value) { return __fixdfti(value); }
#endif
