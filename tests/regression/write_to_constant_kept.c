// TRUE property=memory-safety model=ILP32,LP64 prepare=default,none
// TRUE model=LP64,ILP32 prepare=default,none
// FALSE(valid-deref) property=memory-safety model=ILP32,LP64 prepare=default,none define=KEPT
// FALSE(valid-deref) property=memory-safety model=LP64 prepare=none,default define=HANDED_ON
// FALSE(valid-deref) property=memory-safety model=ILP32 prepare=default define=ELEMENT
// FALSE(valid-deref) property=memory-safety model=ILP32,LP64 prepare=none,default define=MEMBER
// FALSE(valid-deref) property=memory-safety model=LP64 prepare=default,none define=STATIC_MEMBER
// FALSE(valid-deref) property=memory-safety model=LP64 prepare=default define=PARAMETER
// FALSE(valid-deref) property=memory-safety model=ILP32,LP64 prepare=none,default define=BY_VALUE
// FALSE(valid-deref) property=memory-safety model=LP64 prepare=none define=RETURNED
// FALSE(valid-deref) property=memory-safety model=LP64 prepare=default define=LIBRARY
// FALSE(valid-deref) property=memory-safety model=LP64 prepare=none define=PRINTED
// FALSE(valid-deref) property=memory-safety model=LP64 prepare=default define=TWO_DIMENSIONS
// FALSE(valid-deref) property=memory-safety model=ILP32,LP64 prepare=default,none define=EACH_ROUND
// TRUE model=ILP32,LP64 prepare=default,none define=KEPT
// TRUE model=LP64,ILP32 prepare=default,none define=HANDED_ON
// TRUE model=LP64 prepare=none,default define=MEMBER
// TRUE model=ILP32,LP64 prepare=default,none define=STATIC_MEMBER
// TRUE model=LP64 prepare=none define=BY_VALUE
// What is defined const, members too, is written by its initialiser only, whoever tries; everything else may be
// written, through whatever pointer.
#include <stdio.h>
#include <string.h>
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
struct part {
    const int fixed;
    int free;
};
struct whole {
    int n;
    struct part in[3];
    const char *text;
};
static struct part alone = {1, 2};
static struct whole all = {1, {{1, 2}, {3, 4}, {5, 6}}, "x"};
static int *kept;

static void seven(int *p) { *p = 7; }
static void seven_there(const int n) { seven((int *)&n); }
static int by_value(struct part given) {
#ifdef BY_VALUE
    seven((int *)&given.fixed);
#endif
    seven(&given.free);
    return given.fixed + given.free;
}
static struct whole make(int n) {
    struct whole made = {n, {{1, 2}, {3, n}, {5, 6}}, 0};
    return made;
}
int main(void) {
    int any = __VERIFIER_nondet_int() & 1, n = 1;
    int *const fixed_pointer = &n;
    int *const *to_it = &fixed_pointer;
    **to_it = 2;
    const int *only_read = &n;
    seven((int *)only_read);

    struct part local = {any, any + 1};
    seven(&local.free);
    seven(&alone.free);
    seven(&all.in[1].free);
    seven(&all.n);
    all.text = "y";
    struct whole made = make(3), other = any ? made : all;
    seven(&made.n);
    other.in[1].free = 3;
    made.text = 0;
    const struct whole same = any ? made : other;
    const int list[3] = {1, any ? 5 : any, 3}, pairs[2][2] = {{1, 2}, {3, any}};
    const char text[8] = "abc";
    for (int round = 0; round < 2; round++) {
        const int now = round;
        kept = (int *)&now;
#ifdef EACH_ROUND
        if (round)
            *kept = 3;
#endif
        if (*kept != round)
            reach_error();
    }
#if defined KEPT
    kept = (int *)&list[1];
    *kept = 6;
#elif defined HANDED_ON
    seven((int *)&same.n);
#elif defined ELEMENT
    seven((int *)&list[1 + any]);
#elif defined MEMBER
    seven((int *)&local.fixed);
#elif defined STATIC_MEMBER
    seven((int *)&all.in[1 + any].fixed);
#elif defined PARAMETER
    seven_there(3);
#elif defined RETURNED
    seven((int *)&made.in[any].fixed);
#elif defined LIBRARY
    strcpy((char *)text, "x");
#elif defined PRINTED
    sprintf((char *)text, "%d", n);
#elif defined TWO_DIMENSIONS
    memset((void *)pairs, 0, sizeof(int));
#endif
    if (n != 7 || local.fixed != any || local.free != 7 || alone.fixed != 1 || alone.free != 7)
        reach_error();
    if (all.in[1].fixed != 3 || all.in[2].fixed != 5 || all.in[1].free != 7 || list[1] != (any ? 5 : 0))
        reach_error();
    if (same.n != 7 || same.in[2].fixed != 5 || pairs[1][1] != any || by_value(local) != any + 7 || text[2] != 'c')
        reach_error();
    return 0;
}
