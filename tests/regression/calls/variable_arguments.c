// TRUE model=ILP32,LP64 prepare=default,none
// TRUE property=undefined model=ILP32,LP64 prepare=none,default
// TRUE property=memory-safety model=ILP32,LP64 prepare=default,none
// FALSE(undefined) define=FEW property=undefined model=ILP32,LP64 prepare=default,none
// FALSE(valid-deref) define=FEW property=memory-safety model=ILP32,LP64 prepare=none,default
// FALSE(undefined) define=FEW_IN_A_CALLEE property=undefined model=ILP32,LP64 prepare=none,default
// FALSE(undefined) define=NUMBER_FOR_POINTER property=undefined model=ILP32,LP64 prepare=default,none
// FALSE(undefined) define=WIDER property=undefined model=ILP32,LP64 prepare=none,default
// FALSE(undefined) define=FLOATING property=undefined model=ILP32,LP64 prepare=default,none
// FALSE(undefined) define=NARROW property=undefined model=ILP32,LP64 prepare=none,default
// FALSE(undefined) define=ENDED property=undefined model=ILP32,LP64 prepare=default,none
// FALSE(undefined) define=NO_STRUCTURE property=undefined model=ILP32,LP64 prepare=none,default
// UNKNOWN(UNDEFINED) engines=bmc define=FEW prepare=default
// UNKNOWN(UNDEFINED) engines=bmc define=WIDER prepare=none
// UNKNOWN(UNDEFINED) engines=bmc define=NUMBER_FOR_POINTER property=memory-safety
// FALSE(unreach-call) define=WRONG model=ILP32,LP64 prepare=default,none
// va_arg gives the next argument if there is one and if it has the type asked for.
#include <stdarg.h>
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
struct large { long long a; char c[9]; };
struct small { char a; short b; };
struct mixed { double d; int *p; };

static int next(va_list *list) { return va_arg(*list, int); }

static int callee(int n, va_list list) {
    int sum = 0;
    while (n-- > 0) sum += va_arg(list, int);
    return sum;
}

static int sum(int n, ...) {
    va_list list, again;
    va_start(list, n);
    va_copy(again, list);
    int result = callee(n, again);
    va_end(again);
    if (n > 1) result += next(&list) - va_arg(list, unsigned);
    va_end(list);
#ifdef ENDED
    result += va_arg(list, int);
#endif
    return result;
}

static int all(int n, ...) {
    va_list list;
    va_start(list, n);
    unsigned char *bytes = va_arg(list, unsigned char *);
    struct large large = va_arg(list, struct large);
    double d = va_arg(list, double);
    long long wide = va_arg(list, long long);
    struct small small = va_arg(list, struct small);
    int (*function)(int, ...) = va_arg(list, int (*)(int, ...));
    struct mixed mixed = va_arg(list, struct mixed);
    va_end(list);
    return bytes[1] + large.c[8] + (int)d + (int)(wide >> 40) + small.b + function(1, *mixed.p) + (int)mixed.d;
}

static long as_long(int n, ...) {
    va_list list;
    va_start(list, n);
    long long value = va_arg(list, long long);
    va_end(list);
    return (long)value;
}

static int as_int(int n, ...) {
    va_list list;
    va_start(list, n);
#ifdef NARROW
    int value = va_arg(list, char);
#else
    int value = va_arg(list, int);
#endif
    va_end(list);
    return value;
}

static int of_pointer(int n, ...) {
    va_list list;
    va_start(list, n);
    void *p = va_arg(list, void *);
    va_end(list);
    return p == 0;
}

static int of_structure(int n, ...) {
    va_list list;
    va_start(list, n);
    struct large value = va_arg(list, struct large);
    va_end(list);
    return n;
}

int main(void) {
    int x = __VERIFIER_nondet_int() & 63, five = 5;
    int n = 2;
#if defined FEW || defined FEW_IN_A_CALLEE
    if (x == 9) n = 3;
#endif
    if (sum(n, x, 7) != x + 7 + x - 7) reach_error();
    char text[] = "ab";
    struct large large = {1, {0, 1, 2, 3, 4, 5, 6, 7, 8}};
    struct small small = {3, 4};
    struct mixed mixed = {2.5, &five};
    if (all(n, text, large, 3.0f, 1LL << 42, small, sum, mixed) != 'b' + 8 + 3 + 4 + 4 + 5 + 2) reach_error();
#ifdef NUMBER_FOR_POINTER
    if (x == 9) of_pointer(1, 0);
#endif
#ifdef WIDER
    if (x == 9) as_long(1, x);
#endif
#ifdef FLOATING
    if (x == 9) as_int(1, 1.0);
#endif
#ifdef NO_STRUCTURE
    if (x == 9) of_structure(1, 2LL, (short)3);
#endif
    if (as_int(1, 'c') != 'c' || as_long(1, 4LL) != 4 || !of_pointer(1, (char *)0) || of_structure(1, large) != 1) reach_error();
#ifdef WRONG
    if (as_int(1, x) == 9) reach_error();
#endif
    return 0;
}
