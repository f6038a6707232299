// FALSE(valid-memtrack) property=memory-safety define=TRAP model=LP64,ILP32 prepare=default,none
// FALSE(valid-memtrack) property=memory-safety define=ASSERTED model=ILP32,LP64 prepare=none,default
// TRUE property=memory-safety define=HELD model=LP64 prepare=default,none
// A trap ends the run as abort does, and so does an assertion that fails.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assert(int);

static void stop(void) { __builtin_trap(); }

int main(void) {
    char *p = malloc(4);
    p[0] = 1;
    if (__VERIFIER_nondet_int()) {
#ifndef HELD
        p = 0;
#endif
#ifdef ASSERTED
        __VERIFIER_assert(p != 0);
#else
        stop();
#endif
    }
    free(p);
    return 0;
}
