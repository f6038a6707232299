// TRUE property=memory-safety model=ILP32,LP64 prepare=default,none
// TRUE property=memory-safety define=BRANCHES model=ILP32,LP64 prepare=none,default
// TRUE property=memory-safety define=LEFT model=LP64,ILP32 prepare=default,none
// FALSE(valid-memtrack) property=memory-safety define=DROPPED model=LP64 prepare=none,default
// FALSE(valid-memtrack) property=memory-safety define=OTHER_BRANCH model=LP64 prepare=default,none
// Functions of the library that do not return end expressions that hold memory, also in one of two branches.
#include <stdlib.h>
#include <unistd.h>
extern int __VERIFIER_nondet_int(void);
static int use(char *p, int x) {
    free(p);
    return x;
}
int main(void) {
    int x = __VERIFIER_nondet_int();
#if defined BRANCHES
    return use(malloc(3), x ? (exit(1), 0) : 1) + use(malloc(3), x > 3 || (abort(), 1));
#elif defined LEFT
    return use(malloc(3), (_exit(1), 0));
#elif defined DROPPED
    malloc(3);
    return use(malloc(3), (exit(1), 0));
#elif defined OTHER_BRANCH
    char *p = malloc(3);
    return use(malloc(3), x ? (p = 0, exit(1), 0) : use(p, 1));
#else
    return use(malloc(3), (exit(1), 0));
#endif
}
