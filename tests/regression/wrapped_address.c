// TRUE property=memory-safety model=ILP32,LP64 prepare=default,none
// FALSE(valid-deref) property=memory-safety model=ILP32,LP64 prepare=none,default define=GLOBAL
// FALSE(valid-deref) property=memory-safety model=ILP32,LP64 prepare=default,none define=CONSTANT
// FALSE(valid-deref) property=memory-safety model=ILP32,LP64 prepare=none,default define=LOCAL
// FALSE(valid-deref) property=memory-safety model=ILP32,LP64 prepare=default,none define=STORED
// FALSE(valid-deref) property=memory-safety model=ILP32,LP64 prepare=none,default define=MEMBER
// FALSE(valid-deref) property=memory-safety model=ILP32,LP64 prepare=default,none define=CHAIN
// TRUE model=ILP32,LP64 prepare=default,none
// TRUE model=ILP32,LP64 prepare=none,default define=GLOBAL
// TRUE model=ILP32,LP64 prepare=default,none define=CONSTANT
// TRUE model=ILP32,LP64 prepare=none,default define=STORED
// FALSE(unreach-call) model=ILP32,LP64 prepare=default,none define=READ
// An index whose bytes exceed the address space is outside of every object: it does not come round again.
extern void reach_error(void);
extern long __VERIFIER_nondet_long(void);
extern void __VERIFIER_assume(int);
#define FAR (1L << (8 * sizeof(long) - 2))
static int numbers[8];
static struct { int first; int rest[4]; } records[3];
static char text[16];
int main(void) {
    int own[4] = {0, 2, 3, 4};
    long any = __VERIFIER_nondet_long();
#if defined GLOBAL || defined LOCAL || defined MEMBER || defined STORED || defined READ || defined CHAIN
    __VERIFIER_assume(any == FAR);
#else
    __VERIFIER_assume(any >= 0 && any < 3);
#endif
#ifdef GLOBAL
    numbers[any] = 1;
#elif defined CONSTANT
    own[FAR] = 1;
    numbers[FAR + 1] = 1;
#elif defined LOCAL
    return own[any + 1];
#elif defined STORED
    int *kept = own + any;
    *kept = 1;
#elif defined MEMBER
    records[1].rest[any] = 5;
#elif defined CHAIN
    *(&numbers[any] + 1 - FAR) = 5;
    own[any - FAR + FAR] = 3;
#elif defined READ
    if (own[any] != 0)
        reach_error();
#else
    int *kept = own + any;
    *kept = 0;
    numbers[any + 4] = records[any].rest[any] + text[any] + kept[1];
    text[any + 13] = 1;
    own[any] = 0;
    own[0] = numbers[0] = 0;
    own[1] = 2;
#endif
    if (own[0] != 0 || numbers[0] != 0 || own[1] != 2)
        reach_error();
    return 0;
}
