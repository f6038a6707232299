// FALSE(shift) property=shift define=CASE=1 model=LP64 prepare=default
// FALSE(no-overflow) property=no-overflow define=CASE=2 model=ILP32 prepare=none
// FALSE(valid-deref) property=memory-safety define=CASE=3 model=LP64 prepare=default
// FALSE(conversion) property=conversion define=CASE=4 model=LP64 prepare=none
// FALSE(unreach-call) define=CASE=5 model=ILP32 prepare=default
// TRUE property=shift define=CASE=6 model=LP64 prepare=default
// Attributes by which a compiler leaves out its tests leave out none here.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
#if CASE == 1
#define WITHOUT(...) __attribute__((no_sanitize(__VA_ARGS__)))
WITHOUT("undefined", "shift") static int f(int x) { return x << 3; }
#elif CASE == 2
#pragma clang attribute push(__attribute__((__no_sanitize__("shift-base"), noinline)), apply_to = function)
static int f(int x) { return x > 0 ? x << 3 : 0; }
#pragma clang attribute pop
#elif CASE == 3
[[clang::no_sanitize("vla-bound")]] static int f(int x) {
    char a[x];
    return sizeof a > 3;
}
#elif CASE == 4
__attribute__((no_sanitize("implicit-conversion"))) static int f(int x) {
    unsigned char c = x;
    return c;
}
#elif CASE == 5
__attribute__((no_sanitize("shift-exponent"))) static int f(int x) {
    if ((5 >> (x + 4294967296LL) % 8589934592LL) == 5)
        reach_error();
    return 0;
}
#else
#define NO_SANITIZE __attribute__((no_sanitize("shift")))
NO_SANITIZE static int f(int x) { return x > 0 ? 1 : 0; }
#endif
int main(void) { return f(__VERIFIER_nondet_int()); }
