// UNKNOWN property=memory-safety define=EVEN model=LP64,ILP32 prepare=default timeout=6
// UNKNOWN property=memory-safety define=THROUGH_A_POINTER model=LP64 prepare=default timeout=6
// UNKNOWN property=memory-safety define=INSIDE model=LP64 prepare=default timeout=6
// TRUE property=memory-safety define=NO_HEAP model=LP64 prepare=default
// A call that never returns hides what was lost in front of it: behind it anything is true, and no run gets there.
#include <stdlib.h>

static int even(unsigned x) {
    if (x % 2 == 0)
        return 0;
    return even(x + 2) + 1;
}

static void again(int x);
static void (*volatile next)(int) = again;
static void again(int x) { next(x ^ 1); }

static int losing(unsigned x) {
#ifdef INSIDE
    char *p = malloc(4);
    p = 0;
#endif
    if (x % 2 == 0)
        return 0;
    return losing(x + 2) + 1;
}

int main(void) {
#ifndef NO_HEAP
    char *p = malloc(4);
    p[0] = 1;
    p = 0;
#endif
#if defined EVEN || defined NO_HEAP
    return even(1);
#elif defined THROUGH_A_POINTER
    again(1);
    return 0;
#else
    return losing(1);
#endif
}
