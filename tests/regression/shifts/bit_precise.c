// TRUE property=no-overflow model=ILP32,LP64 prepare=default,none
// FALSE(no-overflow) property=no-overflow model=ILP32,LP64 prepare=none,default define=BUG=1
// FALSE(no-overflow) property=no-overflow model=ILP32,LP64 prepare=default,none define=BUG=2
// FALSE(no-overflow) property=no-overflow model=ILP32,LP64 prepare=none,default define=BUG=3
// FALSE(no-overflow) property=no-overflow model=ILP32,LP64 prepare=default,none define=BUG=4
// FALSE(no-overflow) property=no-overflow model=ILP32,LP64 prepare=none,default define=BUG=5
// _BitInt(N) overflows at N bits where an operation has that type; a conversion overflows nothing.
extern int __VERIFIER_nondet_int(void);
int main(void) {
    _BitInt(17) b = __VERIFIER_nondet_int(), c = __VERIFIER_nondet_int();
#if BUG == 1
    b = b * c;
#elif BUG == 2
    b = -b;
#elif BUG == 3
    b = b << 1;
#elif BUG == 4
    b = 65535;
    b += c;
#elif BUG == 5
    b = (_BitInt(17))1 << 16;
#else
    b = b + 1; // int
    b = (b & 0x7fff) << 1;
    if (b < 65535 && b > -65535) { b++; b -= (_BitInt(17))1; }
    b = (_BitInt(17))-1 << 16;
    unsigned _BitInt(9) u = 511;
    u++;
    u <<= 8;
#endif
    return 0;
}
