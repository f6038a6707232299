// FALSE(valid-memtrack) property=memory-safety define=DROPPED model=ILP32,LP64 prepare=default,none
// FALSE(valid-memtrack) property=memory-safety define=BEFORE model=ILP32,LP64 prepare=none,default
// FALSE(valid-memtrack) property=memory-safety define=REPLACED model=ILP32,LP64 prepare=default,none
// FALSE(valid-memtrack) property=memory-safety define=CALLEE model=LP64 prepare=none,default
// TRUE property=memory-safety define=NO_HEAP model=LP64,ILP32 prepare=default,none
// TRUE or UNKNOWN property=memory-safety define=HELD model=LP64 prepare=default,none timeout=4
// TRUE or UNKNOWN property=memory-safety define=SERVER model=LP64 prepare=none timeout=4
// A block is lost when nothing points to it any more, also in a run that never ends.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
#ifndef NO_HEAP
static void *make(void) { return malloc(4); }
#endif
static void forever(void) {
    for (;;)
        ;
}
int main(void) {
#if defined DROPPED
    while (1)
        malloc(4);
#elif defined BEFORE
    char *p = malloc(4);
    p = 0;
    while (1)
        ;
#elif defined REPLACED
    void *p = make();
    while (1)
        p = make();
#elif defined CALLEE
    char *p = make();
    p = 0;
    forever();
#elif defined NO_HEAP
    unsigned n = 0;
    while (1)
        n++;
#elif defined HELD
    char *p = make();
    char *q = p;
    p = 0;
    forever();
    return q == p;
#else
    while (1) {
        char *p = make();
        *p = 1;
        if (__VERIFIER_nondet_int())
            p[3] = 1;
        free(p);
    }
#endif
}
