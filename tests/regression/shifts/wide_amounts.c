// TRUE model=ILP32,LP64 prepare=default,none
// FALSE(unreach-call) model=ILP32,LP64 prepare=none,default define=BUG=1
// FALSE(unreach-call) model=ILP32,LP64 prepare=default,none define=BUG=2
// FALSE(unreach-call) model=ILP32,LP64 prepare=none,default define=BUG=3
// FALSE(unreach-call) model=ILP32,LP64 prepare=default,none define=BUG=4
// FALSE(unreach-call) model=ILP32,LP64 prepare=none,default define=BUG=5
// FALSE(unreach-call) model=ILP32,LP64 prepare=default,none define=BUG=6
// FALSE(unreach-call) model=LP64 prepare=default,none define=BUG=7
// UNKNOWN timeout=8 model=ILP32,LP64 prepare=default,none define=BUG=8
// The amount of a shift counts as it is written: its low 32 bits say too little.
extern long long __VERIFIER_nondet_longlong(void);
extern unsigned long long __VERIFIER_nondet_ulonglong(void);
extern void reach_error(void);
struct Fields { long long wide : 40; unsigned long long all : 64; };
int main(void) {
    long long n = __VERIFIER_nondet_longlong();
    unsigned long long u = __VERIFIER_nondet_ulonglong();
    struct Fields f = {n, u};
    int r = 1;
#if BUG == 1
    if (u == 0x100000000ULL) r = 1 << u;
#elif BUG == 2
    if (n < 0 && (n & 0xffffffff) == 3) r = (1u << n) == 8;
#elif BUG == 3
    if (n == -(1LL << 32)) r = 1 >> n == 1;
#elif BUG == 4
    if (f.wide == 1LL << 33) r <<= f.wide;
#elif BUG == 5
    if (f.all == 1ULL << 40) { r = 4; r >>= f.all; r = r == 4; }
#elif BUG == 6
    _BitInt(4) small = -1;
    r = 1LL << small == 32768;
#elif BUG == 7
    __int128 wide = (__int128)n << 32;
    if (wide == (__int128)1 << 64) r = 1LL << wide == 1;
#elif BUG == 8
    r = 1 << 0x100000000LL; // folded by clang
#else
    if (u < 31) r = 1 << u >> u;
    if (n >= 0 && n < 32 && (1u << n) >> (int)n != 1) r = 0;
    if (u > 31 && u < 64) r = 1 << (int)(u & 31) >> (u - 32) == 1; // an explicit conversion
#endif
    if (r != 1 && u != 63)
        reach_error();
    return 0;
}
