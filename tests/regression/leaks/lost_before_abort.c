// FALSE(valid-memtrack) property=memory-safety define=ABORT model=ILP32,LP64 prepare=default,none
// FALSE(valid-memtrack) property=memory-safety define=EXIT_AT_ONCE model=LP64 prepare=none,default
// FALSE(valid-memtrack) property=memory-safety define=EXIT_AT_ONCE_C model=LP64 prepare=default
// FALSE(valid-memtrack) property=memory-safety define=QUICK_EXIT model=LP64 prepare=none
// FALSE(valid-memtrack) property=memory-safety define=ASSERTION model=LP64 prepare=default,none
// FALSE(valid-memtrack) property=memory-safety define=NORETURN model=LP64 prepare=none
// FALSE(valid-memtrack) property=memory-safety define=CALLER model=ILP32,LP64 prepare=none,default
// TRUE property=memory-safety define=HELD model=ILP32,LP64 prepare=default,none
// TRUE property=memory-safety define=FREED model=LP64 prepare=default,none
// What was lost before the run is ended at once was lost; what a live frame holds is not.
#include <assert.h>
#include <stdlib.h>
#include <unistd.h>
extern int __VERIFIER_nondet_int(void);
_Noreturn void die_elsewhere(void);
static void *kept;

static void assume(int c) {
    if (!c)
        abort();
}
static void hand_on(char *p, int drop) {
    if (drop)
        p = 0;
    assume(__VERIFIER_nondet_int());
    free(p);
}
int main(void) {
#if defined HELD
    char *p = malloc(4);
    kept = malloc(1);
    hand_on(malloc(3), 0);
    if (__VERIFIER_nondet_int())
        quick_exit(1);
    if (__VERIFIER_nondet_int())
        _exit(1);
    p[0] = 1;
    free(p);
    free(kept);
    return 0;
#elif defined FREED
    char *p = malloc(4);
    free(p);
    p = 0;
    abort();
#elif defined CALLER
    hand_on(malloc(4), 1);
    return 0;
#else
    char *p = malloc(4);
    p = 0;
#if defined ABORT
    abort();
#elif defined EXIT_AT_ONCE
    _exit(0);
#elif defined EXIT_AT_ONCE_C
    _Exit(0);
#elif defined QUICK_EXIT
    quick_exit(0);
#elif defined ASSERTION
    assert(p);
    while (1)
        ;
#else
    die_elsewhere();
#endif
#endif
}
