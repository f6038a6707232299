// TRUE property=no-overflow model=ILP32,LP64 prepare=default,none
// FALSE(no-overflow) property=no-overflow model=ILP32,LP64 prepare=none,default define=BUG=1
// FALSE(no-overflow) property=no-overflow model=ILP32,LP64 prepare=default,none define=BUG=2
// FALSE(no-overflow) property=no-overflow model=ILP32,LP64 prepare=none,default define=BUG=3
// FALSE(no-overflow) property=no-overflow model=ILP32,LP64 prepare=default,none define=BUG=4
// FALSE(no-overflow) property=no-overflow model=ILP32,LP64 prepare=none,default define=BUG=5
// TRUE model=ILP32,LP64 prepare=none,default
// Bit-fields count by their promoted type: unsigned ones below 32 bits are int.
extern int __VERIFIER_nondet_int(void);
extern long long __VERIFIER_nondet_longlong(void);
extern void reach_error(void);
struct Fields {
    unsigned five : 5;
    int seven : 7;
    unsigned most : 31;
    unsigned all : 32;
    unsigned long long wide : 64;
    long long sixty : 60;
    _Bool flag : 1;
} s;
int main(void) {
    s.five = s.seven = s.most = s.all = __VERIFIER_nondet_int();
    s.wide = s.sixty = __VERIFIER_nondet_longlong();
    s.flag = s.wide;
    long long r = 0;
#if BUG == 1
    s.five = s.five << 27;
#elif BUG == 2
    s.most = 0x7fffffff;
    r = s.most + 1;
#elif BUG == 3
    s.most <<= 1;
#elif BUG == 4
    r = s.sixty << 5;
#elif BUG == 5
    r = s.flag << 31;
#else
    r = s.five << 26;
    s.seven = s.seven * s.seven + s.five;
    r = s.all + 1;
    s.all <<= 31;
    s.wide <<= 63;
    r = s.sixty << 4;
    if (!(s.most - 0x7fffffff - 1 < 0)) reach_error(); // int
    if (s.five < -1) reach_error();
    if (!(s.all > -1 == 0)) reach_error(); // unsigned
    if (s.flag - 2 >= 0) reach_error();
    if (~s.five >= 0) reach_error();
#endif
    return 0;
}
