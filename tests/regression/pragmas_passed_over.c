// UNKNOWN(UNSUPPORTED) engines=bmc define=CASE=1 model=LP64 prepare=default
// UNKNOWN(UNSUPPORTED) engines=bmc define=CASE=2 model=ILP32 prepare=none
// UNKNOWN(UNSUPPORTED) engines=bmc define=CASE=3 model=LP64 prepare=default
// TRUE engines=bmc define=CASE=4 model=LP64 prepare=default
// FALSE(unreach-call) engines=bmc define=CASE=5 model=LP64 prepare=none
// Pragmas and attributes that change what a program means, and that clang passes over, leave it without an answer.
extern void reach_error(void);
#if CASE == 1
#define ORDERED(order) _Pragma(#order)
ORDERED(scalar_storage_order big-endian)
struct number { int value; };
#pragma scalar_storage_order default
static double third(double x) { return x / 3; }
#elif CASE == 2
struct number { int value; };
static double third(double x) {
#pragma STDC FENV_ROUND FE_UPWARD
    return x / 3;
}
#else
#pragma scalar_storage_order default
struct number { int value; };
static double third(double x) {
#pragma STDC FENV_ROUND FE_TONEAREST
    return x / 3;
}
#endif
#if CASE == 3
static volatile int kept __attribute__((noinit));
#else
static volatile int kept;
#endif
int main(void) {
    struct number one = {1};
    if (*(char *)&one != 1 || third(1) != 1.0 / 3 || kept != 0 || CASE == 5)
        reach_error();
    return 0;
}
