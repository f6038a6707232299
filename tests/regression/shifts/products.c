// TRUE property=no-overflow model=ILP32,LP64 prepare=default,none
// FALSE(no-overflow) property=no-overflow model=ILP32,LP64 prepare=none,default define=BUG=1
// FALSE(no-overflow) property=no-overflow model=ILP32,LP64 prepare=default,none define=BUG=2
// FALSE(no-overflow) property=no-overflow model=ILP32,LP64 prepare=none,default define=BUG=3
// FALSE(no-overflow) property=no-overflow model=ILP32,LP64 prepare=default,none define=BUG=4
// FALSE(no-overflow) property=no-overflow model=ILP32,LP64 prepare=none,default define=BUG=5
// FALSE(shift) property=shift model=ILP32,LP64 prepare=default,none
// FALSE(unreach-call) model=ILP32,LP64 prepare=none,default
// A left shift overflows where its result is not the product; negative operands and amounts are another property.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
    int x = __VERIFIER_nondet_int(), n = __VERIFIER_nondet_int();
    int r = 0;
#if BUG == 1
    if (x == 1 << 30) r = x << 1;
#elif BUG == 2
    r = 1 << 31;
#elif BUG == 3
    if (x < 0 && x > -8 && n >= 0 && n < 31) r = x << n;
#elif BUG == 4
    if (x > 0 && n >= 0 && n < 32) x <<= n;
#elif BUG == 5
    short s = x;
    s = (s & 0x7fff) << 17 >> 1;
#else
    if (x >= 0 && x < 16 && n >= 0 && n < 28) r = x << n;
    if (x < 0 && x >= -16 && n >= 0 && n < 28) r = x << n;
    r = -1 << 31;
    r = x << 3 * 32; // out of range: no overflow
    unsigned u = (unsigned)x << 5;
    if (n == 5 && r == 77) reach_error();
#endif
    return 0;
}
