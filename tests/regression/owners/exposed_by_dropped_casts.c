// UNKNOWN(UNSUPPORTED) model=ILP32,LP64 prepare=default,none engines=bmc
// UNKNOWN(UNSUPPORTED) model=ILP32,LP64 prepare=default,none engines=bmc define=IN_MEMORY
// UNKNOWN(UNSUPPORTED) model=ILP32,LP64 prepare=default,none engines=bmc define=COMPARED
// UNKNOWN(UNSUPPORTED) model=ILP32,LP64 prepare=default,none engines=bmc define=BEFORE
// UNKNOWN(UNSUPPORTED) model=ILP32,LP64 prepare=default,none engines=bmc define=PARTS
// UNKNOWN(UNSUPPORTED) model=LP64 prepare=default,none engines=bmc define=PIECES
// UNKNOWN(UNSUPPORTED) model=ILP32,LP64 prepare=default,none engines=bmc define=NOWHERE
// A number may be the address of any object whose address is made into a number, wherever LLVM puts that cast, and
// where it leaves it out. Whether it hits hangs on where the objects lie.
extern void reach_error(void);
extern void *malloc(__SIZE_TYPE__);
extern unsigned char __VERIFIER_nondet_uchar(void);
int a[4], b[4];
union {
    long number;
    unsigned short parts[sizeof(long) / 2];
    int *pointer;
} u;
int main(void) {
#ifdef NOWHERE /* nothing makes b's address a number: it is one all the same */
    long there = 0;
#else
    long there = (long)b;
#endif
    long k = __VERIFIER_nondet_uchar(), number = (long)a + 64 * k;
#ifdef PIECES
    u.parts[0] = number, u.parts[1] = number >> 16, u.parts[2] = number >> 32, u.parts[3] = number >> 48;
    *u.pointer = 1;
#elif defined PARTS
    u.pointer = a;
    u.parts[0] += 64 * k;
    *u.pointer = 1;
#elif defined BEFORE
    u.number = number;
    int *c = malloc(sizeof(int));
    *c = 0;
    *u.pointer = 1;
    if (*c)
        reach_error();
#elif defined IN_MEMORY
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
