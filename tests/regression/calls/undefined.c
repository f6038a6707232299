// TRUE property=undefined model=ILP32,LP64 prepare=default,none
// TRUE model=ILP32,LP64 prepare=none,default
// UNKNOWN(UNDEFINED) timeout=8 define=REACHED model=ILP32,LP64 prepare=default,none
// FALSE(undefined) define=REACHED property=undefined model=ILP32,LP64 prepare=none,default
// UNKNOWN(UNDEFINED) timeout=8 define=RETURNS model=ILP32,LP64 prepare=none,default
// FALSE(undefined) define=RETURNS property=undefined model=ILP32,LP64 prepare=default,none
// UNKNOWN(UNDEFINED) timeout=8 define=ASSUMED model=ILP32,LP64 prepare=default,none
// FALSE(undefined) define=ASSUMED property=undefined model=ILP32,LP64 prepare=none,default
// UNKNOWN(UNDEFINED) timeout=8 define=POINTED model=ILP32,LP64 prepare=none,default
// FALSE(undefined) define=POINTED property=undefined model=ILP32,LP64 prepare=default,none
// FALSE(unreach-call) define=REACHED,ERROR model=ILP32,LP64 prepare=default,none
// FALSE(unreach-call) define=CALLED_FIRST,REACHED model=ILP32,LP64 prepare=none,default
// UNKNOWN(UNDEFINED) timeout=8 define=REACHED property=memory-safety model=ILP32,LP64 prepare=none,default
// UNKNOWN(UNDEFINED) timeout=8 define=RETURNS property=no-overflow model=ILP32,LP64 prepare=default,none
// Places that no run with a meaning in C reaches do not end a run silently; functions that end it do.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
extern _Noreturn void panic(const char *why);

static int chosen(int which) {
    switch (which) {
    case 0: return 1;
    case 1: return 2;
    default: __builtin_unreachable();
    }
}

static _Noreturn void stop(int code) {
    if (code == 1) exit(1);
    if (code == 2) _Exit(2);
    if (code == 3) panic("three");
#ifndef RETURNS
    abort();
#endif
}

static void harmless(int x) {}

int main(void) {
    int any = __VERIFIER_nondet_int();
#ifdef REACHED
    if (any == 77) {
#ifdef CALLED_FIRST
        reach_error();
#endif
        any = chosen(any);
    }
#endif
    any = any & 7;
#ifdef ERROR
    if (any == 5) reach_error();
#endif
    if (chosen(any & 1) > 2) reach_error();
#ifdef ASSUMED
    __builtin_assume(any < 7);
#else
    __builtin_assume(any < 8);
#endif
    __attribute__((noreturn)) void (*end)(int) = stop;
#ifdef POINTED
    if (any == 6) end = (void *)harmless;
#endif
    if (any > 3) end(any - 3);
    return 0;
}
