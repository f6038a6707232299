// TRUE property=undefined model=ILP32,LP64 prepare=default,none
// FALSE(undefined) define=DIVISOR property=undefined model=ILP32,LP64 prepare=default,none
// FALSE(undefined) define=QUOTIENT property=undefined model=ILP32,LP64 prepare=none,default
// FALSE(undefined) define=CONVERTED property=undefined model=ILP32,LP64 prepare=default,none
// FALSE(undefined) define=ZEROS property=undefined model=ILP32,LP64 prepare=none,default
// Operations without a value are arbitrary for every property but `undefined`, which asks about them.
extern int __VERIFIER_nondet_int(void);
extern double __VERIFIER_nondet_double(void);

int main(void) {
    int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
    double d = __VERIFIER_nondet_double();
#ifdef DIVISOR
    x = x / y;
#elif defined QUOTIENT
    x = x % (y | 1);
#elif defined CONVERTED
    x = (int)d;
#elif defined ZEROS
    x = __builtin_ctz(y);
#endif
    unsigned u = (unsigned)x / ((unsigned)y | 1);
    if (y > 0) x = x / y + __builtin_clz(y);
    if (d > -1 && d < 256) x = (unsigned char)d;
    return x + (int)u;
}
