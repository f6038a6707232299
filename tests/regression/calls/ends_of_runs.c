// TRUE model=ILP32,LP64 prepare=default,none
// FALSE(unreach-call) define=BAD_ORDER model=ILP32,LP64 prepare=none,default
// TRUE define=EXIT model=ILP32,LP64 prepare=default,none
// FALSE(unreach-call) define=EXIT,BAD_CODE model=ILP32,LP64 prepare=none,default
// TRUE define=ABORT,BAD_ORDER model=ILP32,LP64 prepare=default,none
// TRUE define=QUICK,BAD_ORDER model=ILP32,LP64 prepare=none,default
// FALSE(unreach-call) define=QUICK,BAD_QUICK model=ILP32,LP64 prepare=default,none
// TRUE define=AT_ONCE,BAD_ORDER,BAD_QUICK model=ILP32,LP64 prepare=none,default
// UNKNOWN define=AGAIN timeout=6 model=ILP32,LP64 prepare=default,none
// FALSE(undefined) define=AGAIN property=undefined model=ILP32,LP64 prepare=none,default
// TRUE property=undefined model=ILP32,LP64 prepare=default,none
// Handlers run in the opposite order of registration, then destructors by descending priority.
#include <stdlib.h>

extern void reach_error(void);
extern int on_exit(void (*)(int, void *), void *);
static int steps[8], count;
static int context = 5;

static void step(int n) { steps[count++ & 7] = n; }
static void late(void) { step(3); }

static void first(void) {
    step(1);
    atexit(late);
#ifdef AGAIN
    exit(3);
#endif
}

static void second(int code, void *given) {
    if (code != 4 && count == 2) {
#ifdef BAD_CODE
        reach_error();
#endif
    }
    step(2 + *(int *)given);
}

__attribute__((destructor(101))) static void last(void) {
    step(9);
    int expected[] = {1, 3, 7, 8, 9};
#ifdef BAD_ORDER
    expected[1] = 4;
#endif
    for (int i = 0; i < 5; i++)
        if (steps[i] != expected[i]) reach_error();
}

__attribute__((destructor)) static void before_last(void) { step(8); }

static void quickly(void) {
    if (count != 0) reach_error();
#ifdef BAD_QUICK
    reach_error();
#endif
}

int main(void) {
    on_exit(second, &context);
    atexit(first);
    at_quick_exit(quickly);
#ifdef EXIT
    exit(2);
#elif defined ABORT
    abort();
#elif defined QUICK
    quick_exit(0);
#elif defined AT_ONCE
    _Exit(0);
#endif
    return 4;
}
