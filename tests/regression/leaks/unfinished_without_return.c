// TRUE property=memory-safety model=ILP32,LP64 prepare=default,none
// FALSE(valid-memtrack) property=memory-safety define=DROPPED model=ILP32,LP64 prepare=none,default
// FALSE(valid-memtrack) property=memory-safety define=COMMA model=ILP32,LP64 prepare=default,none
// FALSE(valid-memtrack) property=memory-safety define=TESTED model=LP64,ILP32 prepare=none,default
// UNKNOWN(UNDEFINED) property=memory-safety engines=bmc define=RETURNS
// What an expression has computed is not lost while a call in it ends the run, though none returns.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
extern _Noreturn void panic(const char *why);
struct two {
    char *p;
    long n;
};
static __attribute__((noreturn)) void stop(void) {
    if (__VERIFIER_nondet_int()) exit(0);
#ifndef RETURNS
    abort();
#endif
}
static __attribute__((__noreturn__)) int give(int code) { exit(code); }
static int use(char *p, int n) { return p[n & 3]; }
static struct two make(void) { return (struct two){malloc(4), 3}; }
static int use_two(struct two t, int n) { return t.p[n & 3]; }

int main(void) {
    int any = __VERIFIER_nondet_int();
#if defined DROPPED
    malloc(4);
    stop();
#elif defined COMMA
    use((malloc(4), (char *)0), give(1));
#elif defined TESTED
    if (malloc(4) && give(2)) return 1;
#endif
    if (any == 1) use(malloc(4), (stop(), 1));
    if (any == 2) use_two(make(), give(3));
    if (any == 3) *(char *)malloc(4) = give(4);
    if (any == 4) use(malloc(4) + 1, (panic("four"), 0));
    if (any == 5) use(malloc(4), use(malloc(4), (abort(), 3)));
    if (any == 6) return use(malloc(4), any ? give(6) : 3);
    return 0;
}
