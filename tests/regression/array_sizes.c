// TRUE property=memory-safety model=ILP32,LP64 prepare=default,none
// TRUE model=ILP32,LP64 prepare=none,default
// FALSE(valid-deref) property=memory-safety model=ILP32,LP64 prepare=default,none define=NEGATIVE
// FALSE(valid-deref) property=memory-safety model=ILP32,LP64 prepare=none,default define=ZERO
// FALSE(valid-deref) property=memory-safety model=ILP32,LP64 prepare=default,none define=WRAPPED
// FALSE(valid-deref) property=memory-safety model=ILP32,LP64 prepare=none,default define=PRODUCT
// FALSE(valid-deref) property=memory-safety model=ILP32,LP64 prepare=default,none define=LARGE
// TRUE property=memory-safety model=ILP32,LP64 prepare=none,default define=LARGEST
// UNKNOWN(UNDEFINED) timeout=20 model=ILP32,LP64 prepare=default,none define=NEGATIVE
// UNKNOWN(UNDEFINED) timeout=20 model=ILP32,LP64 prepare=none,default define=PRODUCT
// A variable-length array has a positive length, and as many bytes as its lengths say.
extern int __VERIFIER_nondet_int(void);
extern unsigned long __VERIFIER_nondet_ulong(void);
extern void reach_error(void);
static int last(int n) {
    int a[n];
    a[n - 1] = 2;
    return a[n - 1];
}
int main(void) {
    int n = __VERIFIER_nondet_int();
    unsigned long m = __VERIFIER_nondet_ulong();
#ifdef NEGATIVE
    if (n < -5)
        return last(n);
#elif defined ZERO
    if (n >= 0 && n < 3)
        return last(n);
#elif defined WRAPPED
    if (m == 1UL << (8 * sizeof m - 2)) {
        int a[m];
        return sizeof a != 0;
    }
#elif defined LARGE // PTRDIFF_MAX + 1 bytes
    if (m == 1UL << (8 * sizeof m - 3)) {
        int a[m];
        return sizeof a != 0;
    }
#elif defined LARGEST
    if (m == (1UL << (8 * sizeof m - 3)) - 1) {
        int a[m];
        return sizeof a != 0;
    }
#elif defined PRODUCT
    if (m == 1UL << (4 * sizeof m)) {
        char a[m][m];
        return sizeof a != 0;
    }
#endif
    if (m > 0 && m < 6) {
        char a[m][m + 2];
        a[m - 1][m + 1] = 1;
    }
    if (n > 0 && n < 40 && last(n) != 2)
        reach_error();
    return 0;
}
