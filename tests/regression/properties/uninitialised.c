// FALSE(uninitialised) property=uninitialised define=SCALAR model=ILP32,LP64 prepare=default,none
// FALSE(uninitialised) property=uninitialised define=NEXT_LIFE model=ILP32,LP64 prepare=default,none
// FALSE(uninitialised) property=uninitialised define=AGAIN
// FALSE(uninitialised) property=uninitialised define=MEMBER model=ILP32,LP64 prepare=default,none
// FALSE(uninitialised) property=uninitialised define=ELEMENT model=ILP32,LP64 prepare=default,none
// FALSE(uninitialised) property=uninitialised define=ANY_ELEMENT
// FALSE(uninitialised) property=uninitialised define=BYTES_OF_SCALAR model=ILP32,LP64 prepare=default,none
// FALSE(uninitialised) property=uninitialised define=SCALAR_OF_BYTES
// FALSE(uninitialised) property=uninitialised define=PART_OF_SCALAR
// FALSE(uninitialised) property=uninitialised define=BYTES_OF_BYTES
// FALSE(uninitialised) property=uninitialised define=PASSED_OVER model=ILP32,LP64 prepare=default,none
// FALSE(uninitialised) property=uninitialised define=NEVER_DECLARED model=ILP32,LP64 prepare=default,none
// TRUE property=uninitialised define=SET_BEHIND model=ILP32,LP64 prepare=default,none
// TRUE property=uninitialised define=ALL_BYTES model=ILP32,LP64 prepare=default,none
// TRUE property=uninitialised define=PADDED model=ILP32,LP64 prepare=default,none
// FALSE(uninitialised) property=uninitialised define=PADDED_MEMBER
// TRUE property=uninitialised define=GUARDED model=ILP32,LP64 prepare=default,none
// TRUE property=uninitialised define=ARRAY model=ILP32,LP64 prepare=default,none
// TRUE property=uninitialised define=COPIES model=ILP32,LP64 prepare=default,none
// TRUE property=uninitialised define=NOT_LOOKED_AT
// TRUE property=uninitialised define=TRAVELS model=ILP32,LP64 prepare=default,none
// Locals that are read before they were given a value, members and elements each by itself. What is copied as a whole is
// not read, nor what travels in registers, which hold padding as well; and what a run never reads needs no value.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct pair { int x, y; };
struct longs { long a, b; };
struct single { int value; };
struct mixed { struct single one; int k[3]; char c; };

static int first(struct pair p) { return p.x; }
static long of_longs(struct longs l) { return l.a; }
static int nothing(struct single s) { (void)s; return 1; }
static struct pair made(int n) { struct pair p; p.x = n; if (n > 3) p.y = 2; return p; }
static struct single unmade(void) { struct single s; return s; }
static void set(int *p) { *p = 3; }
static int passed_over(void) { goto over; int x = 1; over: return x; }
static int in_a_switch(int n) { switch (n) { int x = 1; default: return x; } }
static int set_behind(int n) { goto over; int x = 1; over: x = n; return x; }
static int fallen(int n) { if (n) goto over; return 1; over:; }

int main(void) {
    int n = __VERIFIER_nondet_int();
#if defined(SCALAR)
    int x;
    if (n > 3)
        x = 1;
    return x;
#elif defined(PASSED_OVER)
    return passed_over();             /* clang leaves out the declaration, which no run reaches */
#elif defined(NEVER_DECLARED)
    return in_a_switch(n);
#elif defined(SET_BEHIND)
    fallen(n);
    return set_behind(n);
#elif defined(NEXT_LIFE)
    for (int i = 0; i < 3; i++) {
        int x;
        if (i == 0)
            x = 1;
        n ^= x;                       /* in the second iteration x is another one */
    }
#elif defined(AGAIN)
    int i = 0;
again:;
    int x;                            /* has no value again whenever the run gets here */
    if (i++)
        return x;
    x = 2;
    goto again;
#elif defined(MEMBER)
    struct pair p;
    p.x = 1;
    struct pair q = p;
    return q.y;
#elif defined(ELEMENT)
    int a[6];
    for (int i = 0; i < 5; i++)
        a[i] = i;
    for (int i = 0; i < 6; i++)
        n ^= a[i];
#elif defined(ANY_ELEMENT)
    int a[4];
    a[n & 3] = 1;
    return a[(n + 1) & 3];
#elif defined(BYTES_OF_SCALAR)
    for (int i = 0; i < 3; i++) {
        int x, y, z;
        if (i == 0)
            x = 1;
        __builtin_memcpy(&y, &x, sizeof y);
        __builtin_memmove(&z, &y, sizeof z);
        n ^= z;
    }
#elif defined(SCALAR_OF_BYTES)
    struct { int a, b; } s;
    long long l;
    s.a = 1;
    __builtin_memcpy(&l, &s, sizeof s);
    return l > 0;
#elif defined(PART_OF_SCALAR)
    long long l;
    __builtin_memcpy(&l, &n, sizeof n);
    return l > 0;
#elif defined(BYTES_OF_BYTES)
    int x;
    char c[4];
    __builtin_memcpy(c, &x, sizeof c);
    return c[1];
#elif defined(ALL_BYTES)
    int x = n, y, z, rest;
    float f;
    char bytes[8];
    struct { int a, b; } s;
    long long l;
    s.a = s.b = x;
    __builtin_memcpy(&y, &x, sizeof y);
    __builtin_memcpy(&f, &y, sizeof f);
    __builtin_memcpy(&l, &s, sizeof l);
    __builtin_memcpy(bytes, &l, sizeof bytes);
    __builtin_memcpy(&z, bytes + (n & 3), sizeof z);
    if (n == 0)
        __builtin_memcpy(&y, &rest, (unsigned)n);     /* of nothing */
    return y + z + (f > 0);
#elif defined(PADDED)
    struct { char c; int i; } s, t;
    long long l;
    char bytes[8];
    s.c = s.i = n;
    t = s;
    __builtin_memcpy(&l, &t, sizeof l);
    __builtin_memcpy(bytes, &t, sizeof bytes);
    struct { _Alignas(16) int i; } one[2];
    long long words[4];
    one[0].i = one[1].i = n;
    __builtin_memcpy(words, one, sizeof words);
    return bytes[2] + (l > 0) + (words[3] > words[0]);  /* padding has some value */
#elif defined(PADDED_MEMBER)
    struct { char c; int i; } s, t;
    s.c = n;
    __builtin_memcpy(&t, &s, sizeof t);
    return t.i;
#elif defined(GUARDED)
    int x, unused, i = 0;
    if (n > 3)
        x = 1;
    (void)unused;
    for (; i < 3; i++) {
        int y;
        if (i == n)
            y = 1;
        if (i == n)
            n += y;
    }
    return n > 5 ? x : i;
#elif defined(ARRAY)
    int a[5], m[2][3], rest[4] = {1};
    for (int i = 0; i < 5; i++)
        a[i] = i;
    for (int i = 0; i < 5; i++)
        n ^= a[i];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++)
            m[i][j] = j;
    return m[n & 1][1] + rest[3] + a[n];  /* outside of the array is another matter */
#elif defined(COPIES)
    struct mixed z, y = {{0}};
    struct pair p;
    struct longs l;
    p.x = l.a = 1;
    struct pair q = p;
    z.k[1] = 3;
    z.c = 2;
    return first(q) + (int)of_longs(l) + q.x + z.k[1] + z.c + y.k[2];
#elif defined(TRAVELS)
    struct pair p = made(n);
    struct single s = unmade(), t;
    return p.y + s.value + nothing(t);
#elif defined(NOT_LOOKED_AT)
    int x, *block = malloc(sizeof *block);
    union { int i; char c[4]; } u;
    struct { unsigned a : 3, b : 5; } f;
    _Complex double z;
    set(&x);
    u.c[0] = 1;
    f.a = 1;
    __real__ z = 1;
    x += *block;
    free(block);
    return x + u.i + (int)f.a + (int)__real__ z;
#endif
    return n;
}
