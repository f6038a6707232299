// UNKNOWN(UNSUPPORTED) model=ILP32,LP64 prepare=default,none engines=bmc
// UNKNOWN(UNSUPPORTED) model=ILP32,LP64 prepare=default,none engines=bmc define=IN_MEMORY
// UNKNOWN(UNSUPPORTED) model=ILP32,LP64 prepare=default,none engines=bmc define=COMPARED
// A number may be the address of any object whose address is made into a number, wherever LLVM puts that cast, and
// where it leaves it out. Whether it hits hangs on where the objects lie.
extern void reach_error(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
int a[4], b[4];
union {
    long number;
    int *pointer;
} u;
int main(void) {
    long there = (long)b, k = __VERIFIER_nondet_uchar(), number = (long)a + 64 * k;
#ifdef IN_MEMORY
    u.number = number;
    *u.pointer = 1;
#else
    int *p = a;
    if (k)
        p = (int *)number;
#ifdef COMPARED
    if ((long)p == (long)b)
#endif
        *p = 1;
#endif
    if (b[0])
        reach_error();
    return there == 3;
}
