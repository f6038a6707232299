// TRUE property=memory-safety model=ILP32,LP64 prepare=default,none
// TRUE model=LP64,ILP32 prepare=default,none define=CASE=3
// FALSE(valid-deref) property=memory-safety model=ILP32,LP64 prepare=none,default define=CASE=1
// FALSE(valid-deref) property=memory-safety model=ILP32,LP64 prepare=default,none define=CASE=2
// FALSE(valid-deref) property=memory-safety model=ILP32,LP64 prepare=none,default define=CASE=3
// FALSE(valid-deref) property=memory-safety model=LP64 prepare=default define=CASE=4
// FALSE(valid-deref) property=memory-safety model=ILP32 prepare=none define=CASE=5
// FALSE(valid-deref) property=memory-safety model=LP64 prepare=none define=CASE=6
// FALSE(valid-deref) property=memory-safety model=ILP32 prepare=default define=CASE=7
// FALSE(valid-deref) property=memory-safety model=LP64 prepare=default define=CASE=8
// FALSE(valid-deref) property=memory-safety model=LP64 prepare=none define=CASE=9
// UNKNOWN(UNSUPPORTED) property=memory-safety model=LP64 prepare=default engines=bmc define=CASE=10
// UNKNOWN(UNSUPPORTED) property=memory-safety model=ILP32 prepare=none engines=bmc define=CASE=11
// FALSE(valid-deref) property=memory-safety model=LP64 prepare=default define=CASE=12
// Compound literals that are defined const, or have const members, in functions and outside: only what stands between
// their braces writes them, and everything else may be written.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
#define CONSTANT(type, value) (&(const type){value})
#define SET(n) (((int *)(const int[2]){n, 1})[1] = 5)
#define SET_MEMBER(n) (((part *)&(const part){n, 1})->free = 5)
typedef const int fixed;
typedef struct { const int fixed; int free; } part;
struct whole { part in[2]; int *at; };
static const int *list = (const int[]){1, 2};
static part *alone = &(part){1, 2};
static int *plain = (int[]){3, 4};
static void seven(const void *p) { *(int *)p = 7; }
int main(void) {
    int any = __VERIFIER_nondet_int() & 1;
    const int *here = (fixed[3]){1, any};
    part *one = &(part){any, 2};
    struct whole *all = any ? &(struct whole){{{1, 2}, {3, any}}, &(int){5}} : &(struct whole){.in[1].fixed = 3};
    int sum = 0;
    for (int i = 0; i < 2; sum += *CONSTANT(int, i), i++)
        *(int *)&(int){i} = 3;
    seven(&one->free);
    seven(&alone->free);
    seven(plain);
    seven(&all->in[1].free);
    if (all->at)
        seven(all->at);
#if CASE == 1
    ((int *)list)[1] = 3;
#elif CASE == 2
    seven(&alone->fixed);
#elif CASE == 3
    ((int *)here)[1 + any] = 3;
#elif CASE == 4
    seven(&one->fixed);
#elif CASE == 5
    seven(&all->in[1].fixed);
#elif CASE == 6
    *(int *)CONSTANT(long, any) = 4;
#elif CASE == 7
    ((int *)(const int[3]){any})[2] = 4;
#elif CASE == 8
    seven((const int[2][2]){{1, any}, {any, 3}}[1]);
#elif CASE == 9
    SET(any);
#elif CASE == 10
    SET_MEMBER(any);
#elif CASE == 11
    seven(&(struct { const int unnamed; }){any});
#elif CASE == 12
    seven((const int *[3]){here, (const int[]){1, any}}[1]); // a list that does not initialise all of its array
#endif
    if (here[1] != any || here[2] || one->fixed != any || one->free != 7 || alone->fixed != 1 || sum != 1)
        reach_error();
    if (all->in[1].fixed != 3 || all->in[1].free != 7 || list[1] != 2 || plain[0] != 7)
        reach_error();
    return 0;
}
