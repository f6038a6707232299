// TRUE model=ILP32,LP64 prepare=default,none asm=outputs-only
// UNKNOWN(UNSUPPORTED) timeout=20 model=ILP32,LP64 prepare=none,default
// UNKNOWN(UNSUPPORTED) timeout=20 model=ILP32,LP64 prepare=none,default asm=outputs-only define=JUMP
// UNKNOWN(UNSUPPORTED) model=ILP32,LP64 prepare=default,none asm=outputs-only define=BUG=1 timeout=20
// TRUE property=memory-safety model=ILP32,LP64 prepare=default,none asm=outputs-only
// With --asm outputs-only, assembly gives its outputs any values and does nothing else.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
struct Pair { int a, b; };
int main(void) {
    int x = __VERIFIER_nondet_int(), copy = x, y, z, w;
    struct Pair pair, other = {1, 2};
    __asm__("mov %1, %0" : "=r"(z) : "r"(x) : "cc", "memory");
    __asm__ volatile("cpuid" : "=a"(x), "=b"(y), "=c"(w) : "0"(1) : "edx");
    __asm__("frob %1, %0" : "=m"(pair) : "m"(other));
    x = copy;
    if (other.a != 1 || other.b != 2 || x != copy) reach_error();
    if ((y & 1) > 1 || pair.a - pair.a != 0) reach_error();
#ifdef JUMP
    __asm__ goto("jmp %l0" : : : : out);
    x++;
out:
    if (x != copy) reach_error();
#elif BUG == 1
    if (z != copy) reach_error();
#elif BUG == 2
    __asm__("frob %0" : "=m"((&pair)[1]));
#endif
    return 0;
}
