// TRUE property=memory-safety model=ILP32,LP64 prepare=default,none
// FALSE(valid-deref) property=memory-safety model=ILP32,LP64 prepare=none,default define=CASE=1
// FALSE(valid-deref) property=memory-safety model=LP64 prepare=default,none define=CASE=2
// FALSE(valid-deref) property=memory-safety model=ILP32 prepare=default define=CASE=3
// FALSE(valid-deref) property=memory-safety model=ILP32,LP64 prepare=none,default define=CASE=4
// FALSE(valid-deref) property=memory-safety model=LP64 prepare=none define=CASE=5
// FALSE(valid-deref) property=memory-safety model=ILP32 prepare=none define=CASE=6
// FALSE(valid-deref) property=memory-safety model=LP64 prepare=default define=CASE=7
// FALSE(valid-deref) property=memory-safety model=ILP32,LP64 prepare=default,none define=CASE=8
// What is defined const and has no initialiser, or one that no run gets to, is never written; of a structure that is
// returned only its own initialiser writes the const members.
#include <string.h>
extern int __VERIFIER_nondet_int(void);
struct part { const int fixed; int free[9]; };
static void seven(const void *p) { *(int *)p = 7; }
static struct part make(int n) {
    struct part made = {n, {1, n}};
    seven(&made.free[1]);
#if CASE == 1
    seven(&made.fixed);
#endif
    return made;
}
static struct part unset(void) {
    struct part made;
    memset(made.free, 0, sizeof made.free);
#if CASE == 2
    memset(&made, 0, sizeof made);
#endif
    return made;
}
int main(void) {
    int any = __VERIFIER_nondet_int() & 1;
    struct part one = make(any), other = unset(), some[2] = {{1, {2}}, {any}}, bare[2];
    seven(&bare[any].free[8]);
    seven(&some[1].free[8]);
    switch (any) {
        const int passed = 3;
        int free;
    case 1:
        free = 4;
        seven(&free);
#if CASE == 3
        seven(&passed);
#elif CASE == 4
        *(int *)&passed = 4;
#endif
    }
    goto inside;
    {
        const struct part jumped = {1};
        struct part over;
    inside:
        seven(&over.free[2]);
#if CASE == 5
        seven(&jumped.free[2]);
#endif
    }
#if CASE == 6
    seven(&bare[any].fixed);
#elif CASE == 7
    const int never;
    seven(&never);
#elif CASE == 8
    seven(&some[any].fixed);
#endif
    return one.free[1] + other.free[0] - 7;
}
