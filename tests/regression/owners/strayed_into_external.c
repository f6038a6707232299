// UNKNOWN or FALSE(valid-deref) property=memory-safety engines=spacer timeout=15 model=ILP32,LP64 prepare=none,default
// UNKNOWN or FALSE(valid-deref) property=memory-safety engines=spacer timeout=15 define=WALK prepare=none,default
// UNKNOWN or FALSE(valid-deref) property=memory-safety engines=spacer timeout=15 define=CALL prepare=none,default
// FALSE(valid-deref) property=memory-safety define=BUG model=ILP32,LP64 prepare=none,default
// TRUE property=memory-safety define=STAYS timeout=60 prepare=default
/* A pointer that left its object may be equal to one from outside the program; an access through it is wrong. Behind a
   loop or a call only its address is known. */
extern int __VERIFIER_nondet_int(void);
extern unsigned long __VERIFIER_nondet_ulong(void);
extern int *other(void);
static int a[4];
static int *walked(int n) { return n <= 0 ? (int *)((char *)a + __VERIFIER_nondet_ulong()) : walked(n - 1); }
int main(void) {
    int *q = other(), *p = a;
    if (!q) return 0;
#if defined WALK
    while (__VERIFIER_nondet_int()) p++;
#elif defined CALL
    p = walked(__VERIFIER_nondet_int());
#elif defined STAYS
    p = a + (__VERIFIER_nondet_int() & 3);
#elif defined BUG
    p = (int *)((char *)p + ((unsigned long)q - (unsigned long)p));
#else
    p = (int *)((char *)p + __VERIFIER_nondet_ulong());
#endif
    while (__VERIFIER_nondet_int()) a[0] ^= 1;
    if (p == q) *p = 1;
    return 0;
}
