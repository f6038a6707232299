// TRUE property=memory-safety model=ILP32,LP64 prepare=default,none
// FALSE(valid-memtrack) property=memory-safety define=DROPPED model=ILP32,LP64 prepare=none,default
// FALSE(valid-memtrack) property=memory-safety define=USED model=ILP32,LP64 prepare=default,none
// FALSE(valid-memtrack) property=memory-safety define=OTHER_BRANCH model=LP64 prepare=none,default
// FALSE(valid-memtrack) property=memory-safety define=EACH_ROUND model=LP64 prepare=default,none
// While an expression is not finished, it holds the values that it has computed so far.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct two {
    char *p;
    long n;
};
static int leave(void) {
    if (__VERIFIER_nondet_int())
        exit(0);
    return __VERIFIER_nondet_int();
}
static int stop(void) {
    if (__VERIFIER_nondet_int())
        abort();
    return 1;
}
static void use(char *p, int n) {
    p[0] = n;
    free(p);
}
static struct two make(void) { return (struct two){malloc(4), 3}; }
static void use_two(struct two t, int n) {
    t.p[n & 3] = 0;
    free(t.p);
}
static char *other(void) {
    leave();
    return malloc(1);
}
static void forget(char *p, int n) {
    p = 0;
    leave();
}
int main(void) {
#if defined DROPPED
    malloc(4), leave();
#elif defined USED
    forget(malloc(4), leave());
#elif defined OTHER_BRANCH
    char *p = malloc(4);
    char *q = p[0] > 3 ? p : (p = 0, other());
    free(q);
#elif defined EACH_ROUND
    for (int i = 0; i < 2; i++) {
        char *p = malloc(4);
        if (p + leave() == p)
            free(p);
    }
#else
    use(malloc(4), leave());
    use(malloc(4), stop());
    use(malloc(4), leave() && stop() ? leave() : 7);
    use_two(make(), leave());

#endif
    return 0;
}
