// TRUE model=ILP32,LP64 prepare=default,none
// TRUE model=ILP32,LP64 prepare=none,default asm=outputs-only
// FALSE(unreach-call) model=ILP32,LP64 prepare=default,none define=BUG=1
// UNKNOWN(UNSUPPORTED) timeout=8 model=ILP32,LP64 prepare=none,default define=BUG=2
// Empty templates do nothing: what is tied is handed on, memory keeps what it holds.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
struct Pair { int a; char b[5]; };
int main(void) {
    int x = __VERIFIER_nondet_int(), copy = x, y = 3, z = 4, *p = &x;
    short h = 2;
    signed char c = -1;
    float f = 1;
    double d = 2.5;
    long long wide = 5;
    struct Pair pair = {1, "abc"};
    __asm__ volatile("" ::: "memory");
    __asm__("" : "+r"(x), "+m"(pair), "+r"(p));
    if (x != copy || p != &x || pair.a != 1 || pair.b[2] != 'c') reach_error();
    __asm__("" : "=r"(y), "=r"(z) : "0"(x), "1"(h));
    if (y != copy || z != 2) reach_error();
    __asm__("\n\t" : "=r"(y), "=r"(z) : "1"(y), "0"(z));
    if (y != 2 || z != copy) reach_error();
    __asm__("" : "+r"(h), "+x"(f), "+x"(d), "+g"(wide), "+q"(c) : "r"(&x), "i"(4) : "cc");
    if (h != 2 || f != 1 || d != 2.5 || wide != 5 || c != -1) reach_error();
    register int fixed __asm__("eax") = 5;
    __asm__("" : "+r"(fixed));
    __asm__ volatile("" : "+rm"(fixed) :: "memory");
    if (fixed != 5) reach_error();
#if BUG == 1
    __asm__("" : "+r"(x));
    if (x == 77) reach_error();
#elif BUG == 2
    __asm__("" : "=m"(*p) : "m"(*p));
    if (pair.a + fixed == 6 && *p == 5) reach_error();
#endif
    return 0;
}
