// UNKNOWN(UNDEFINED) engines=bmc property=no-overflow define=BOTH model=ILP32
// UNKNOWN(UNDEFINED) engines=bmc property=no-overflow define=BOTH_IN_CALL prepare=none
// UNKNOWN(UNDEFINED) engines=bmc property=shift define=SHIFTED prepare=none
// TRUE property=no-overflow model=ILP32,LP64 prepare=default,none
// TRUE property=shift model=ILP32,LP64 prepare=none,default
// FALSE(no-overflow) property=no-overflow define=REACHED model=ILP32,LP64 prepare=none,default
// FALSE(shift) property=shift define=REACHED model=ILP32,LP64 prepare=default,none
// What clang has folded and what it tests at run time is told apart, though all of a macro has one place.
extern int __VERIFIER_nondet_int(void);
#define MOST 2147483647
#define FOLDED_AND_TESTED(x) static int folded = MOST + 1; int tested = (x) + 1
#define SHIFTED_AND_TESTED(n) static int folded = 1 << 40; int tested = 1 << (n)
#define TESTED(x) (MOST + (x))
#define IN_ARGUMENT(x) (x)
#define SHIFT(n) (1 << (n))
static int sum(int a, int b) { return a ^ b; }
#define CALLED(x) ({ static int folded = MOST + 1; sum(folded, (x) * 2 - 1); })
int main(void) {
    int n = __VERIFIER_nondet_int() & 7;
#ifdef BOTH
    FOLDED_AND_TESTED(n);
    return folded ^ tested;
#elif defined BOTH_IN_CALL
    return CALLED(n);
#elif defined SHIFTED
    SHIFTED_AND_TESTED(n);
    return folded ^ tested;
#elif defined REACHED
    int bound = 3;
#else
    int bound = 9;
#endif
#if !defined BOTH && !defined BOTH_IN_CALL && !defined SHIFTED
    if (n == bound) return TESTED(1) ^ SHIFT(40) ^ IN_ARGUMENT(MOST + 1);
    return TESTED(-n);
#endif
}
