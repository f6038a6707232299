// TRUE model=ILP32,LP64 prepare=default,none
// TRUE property=undefined model=ILP32,LP64 prepare=none,default
// FALSE(undefined) define=FEW property=undefined model=ILP32,LP64 prepare=default,none
// FALSE(undefined) define=MANY property=undefined model=ILP32,LP64 prepare=none,default
// FALSE(undefined) define=NUMBER property=undefined model=ILP32,LP64 prepare=default,none
// FALSE(undefined) define=VARIABLE property=undefined model=ILP32,LP64 prepare=none,default
// FALSE(undefined) define=NOT_VARIABLE property=undefined model=ILP32,LP64 prepare=default,none
// FALSE(undefined) define=RESULT property=undefined model=ILP32,LP64 prepare=none,default
// FALSE(undefined) define=THROUGH_VOID property=undefined model=ILP32,LP64 prepare=default,none
// FALSE(valid-deref) define=NUMBER property=memory-safety model=ILP32,LP64 prepare=none,default
// UNKNOWN(UNDEFINED) engines=bmc define=FEW
// TRUE define=BEYOND model=ILP32,LP64 prepare=default,none
// FALSE(undefined) define=BEYOND property=undefined
// UNKNOWN(UNDEFINED) engines=bmc define=NUMBER prepare=none
// A function is called as one of its own type; functions without a prototype as their definitions say.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int later();
int variable(int, ...);

static int old(c, d) char c; float d; {
    return c + (int)d;
}
static int none() { return 4; }
static int after(c) char c; { return c + 2; }
struct large { long a[4]; };
static int by_value(struct large x) { return (int)x.a[2]; }
static int pointed(char *p) { return p != 0; }
static int two(int a, int b) { return a + b; }
static void nothing(int a) {}

static void before(void) {}
static int before_with(int argc, char **argv) { return argc; }
__attribute__((section(".init_array"), used)) static void *first = (void *)before;
__attribute__((section(".init_array"), used)) static void *second = (void *)before_with;
__attribute__((constructor)) static int constructor(int argc) { return argc; }

int main(void) {
    int x = __VERIFIER_nondet_int();
    int (*unprototyped)() = later, (*open)(int, ...) = variable, (*structure)() = by_value;
    struct large value = {{1, 2, 3}};
    if (later(1, 2LL) != 3 || unprototyped(1, 2LL) != 3 || variable(1, 2) != 1 || open(1, 2, 3) != 1) reach_error();
    if (old('a', 2.0) != 99 || none() != 4 || structure(value) != 3) reach_error();
    if (((int (*)(void *))pointed)(&x) != 1 || ((unsigned (*)(unsigned, int))two)(1, 2) != 3) reach_error();
    if (x == 9) {
#ifdef FEW
        later(1);
#elif defined MANY
        unprototyped(1, 2LL, 3);
#elif defined BEYOND
        if (none(x, 2.0) != 4 || after('a', 2, "b") != 'c') reach_error();
#elif defined NUMBER
        int (*of_number)(long) = (int (*)(long))pointed;
        of_number(0);
#elif defined VARIABLE
        ((int (*)(int, ...))two)(1, 2);
#elif defined NOT_VARIABLE
        ((int (*)(int))variable)(1);
#elif defined RESULT
        ((int (*)(int))nothing)(1);
#elif defined THROUGH_VOID
        void *any = (void *)two;
        ((int (*)(int, long long))any)(1, 2);
#endif
    }
    return 0;
}

int later(int a, long long b) { return a + (int)b; }
int variable(int a, ...) { return a; }
