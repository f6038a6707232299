// TRUE property=no-overflow model=LP64,ILP32 prepare=default,none
// TRUE property=no-overflow model=ILP32,LP64 prepare=none,default define=WRAPS=1
// UNKNOWN(UNSUPPORTED) property=no-overflow model=LP64,ILP32 prepare=default,none define=BUG=1
// UNKNOWN(UNSUPPORTED) property=no-overflow model=ILP32,LP64 prepare=none,default define=BUG=2
// UNKNOWN(UNSUPPORTED) property=no-overflow model=LP64,ILP32 prepare=none,default define=BUG=3
// UNKNOWN(UNSUPPORTED) property=no-overflow model=LP64,ILP32 prepare=none,default define=BUG=5
// UNKNOWN(UNSUPPORTED) property=no-overflow model=ILP32,LP64 prepare=default,none define=BUG=6
// FALSE(no-overflow) property=no-overflow model=ILP32,LP64 prepare=default,none define=BUG=4
// Signed arithmetic of which clang writes no test.
extern int __VERIFIER_nondet_int(void);
#ifdef WRAPS
struct s { unsigned kind : 1, count : 30; };
#else
struct s { unsigned kind : 1, count : 31; };
#endif
struct low { unsigned count : 31, kind : 1; } low;
struct wide { unsigned long long kind : 20, count : 31, more : 13; } wide;
int main(void) {
    struct s x = {0, 0};
    unsigned n = 0x7ffffffe;
    x.count = n;
#if BUG == 1
    x.count = n + 1;
    x.count++;
#elif BUG == 2
    struct s *p = &x;
    p->count = n + 1;
    n = ++p->count;
#elif BUG == 5
    low.count = n + 1;
    low.count++;
#elif BUG == 6
    wide.count = n + 1;
    wide.count++;
#elif BUG >= 3
    int _Complex z = 1, w = __VERIFIER_nondet_int();
    z += w;
#if BUG == 4
    n = __real__ z + __VERIFIER_nondet_int();
#endif
#else
    x.count++;
    x.count--;
    x.kind++;
    low.count = low.kind = wide.count = 1;
    low.count++;
    wide.count++;
    n++;
    n++;
    n -= 2;
#endif
    return n == x.count && low.count == 2;
}
