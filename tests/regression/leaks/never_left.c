// FALSE(valid-memtrack) property=memory-safety define=LOCAL model=ILP32,LP64 prepare=default,none
// FALSE(valid-memtrack) property=memory-safety define=STATIC model=LP64 prepare=default,none
// FALSE(valid-memtrack) property=memory-safety define=SET_AGAIN model=LP64 prepare=none,default
// FALSE(valid-memtrack) property=memory-safety define=SEVERAL_EXITS model=ILP32 prepare=default,none
// FALSE(valid-memtrack) property=memory-safety define=LOST_BEFORE model=LP64 prepare=default,none
// FALSE(valid-memtrack) property=memory-safety define=RECURSION model=ILP32,LP64 prepare=default,none
// FALSE(valid-memtrack) property=memory-safety define=IN_TURNS model=LP64 prepare=none,default
// UNKNOWN or FALSE(valid-memtrack) property=memory-safety define=COUNTS model=LP64 prepare=default,none timeout=6
// UNKNOWN property=memory-safety define=KEPT_ON model=LP64 prepare=default timeout=6
// TRUE property=memory-safety define=LEFT model=ILP32,LP64 prepare=default,none
// Runs that never end by a loop that could be left, or by calls; a proof that does not show that runs end says
// nothing of them.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
static int go = 1;
struct flags {
    int a, b;
};

static void again(char *p) {
    char *q = malloc(3);
    q = p;
    again(q);
    free(p);
}
static void two(void *p);
static void one(void *p) { two(malloc(1)); }
static void two(void *p) {
    p = 0;
    if (__VERIFIER_nondet_int())
        one(0);
    else
        one(p);
}
int main(void) {
#if defined LOCAL
    int x = __VERIFIER_nondet_int();
    while (x)
        malloc(4);
#elif defined STATIC
    while (go)
        malloc(4);
#elif defined SET_AGAIN
    struct flags f = {__VERIFIER_nondet_int(), 1};
    do {
        char *p = malloc(4);
        p[0] = 1;
        f.b = f.a != 3 && f.b;
    } while (f.b);
#elif defined SEVERAL_EXITS
    int x = __VERIFIER_nondet_int(), y = 5;
    for (;;) {
        char *p = malloc(2);
        if (x > 3 && y < 7)
            break;
        if (x == 1)
            return 0;
        switch (y) {
        case 1: return 1;
        case 5: y = 5;
        }
    }
#elif defined LOST_BEFORE
    int x = __VERIFIER_nondet_int();
    char *p = malloc(4);
    p = 0;
    while (x < 9)
        ;
    abort();
#elif defined RECURSION
    again(malloc(2));
#elif defined IN_TURNS
    one(0);
#elif defined COUNTS
    unsigned x = 1;
    while (x != 0) {
        malloc(4);
        x += 2;
    }
#elif defined KEPT_ON
    unsigned x = 1;
    char *p = malloc(4);
    p = 0;
    while (x % 2 == 1)
        x += 2;
#else
    int x = __VERIFIER_nondet_int();
    char *p = malloc(4);
    while (x) {
        free(p);
        p = malloc(2);
        if (p[0] > 3)
            break;
        x = 0;
    }
    free(p);
#endif
    return 0;
}
