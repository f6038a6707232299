// TRUE property=memory-safety model=ILP32,LP64 prepare=none,default
// FALSE(valid-deref) property=memory-safety model=LP64,ILP32 prepare=default,none define=UNSET
// FALSE(valid-deref) property=memory-safety model=LP64 prepare=none define=UNSET_TRUTH
// FALSE(valid-deref) property=memory-safety model=ILP32 prepare=default define=ZEROS
// FALSE(valid-deref) property=memory-safety model=LP64 prepare=default define=WALKED
// FALSE(valid-deref) property=memory-safety model=LP64 prepare=none define=RETURNED
// Initialisers write zeros between their values, walk through arrays, and share memory with the result of a function;
// an object that is const and has no initialiser is written by nobody.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
typedef const int grid[2][2];
struct pair {
    const int fixed;
    int free;
};
struct long_one {
    const int fixed;
    int free, list[8];
};
struct framed {
    grid in;
    int free;
};
static void four(int *p) { *p = 4; }
static struct pair chain(int n) {
    if (n == 0)
        return (struct pair){1, 2};
    struct pair made = chain(n - 1);
    four(&made.free);
#ifdef RETURNED
    *(int *)&made.fixed = 3;
#endif
    return made;
}
int main(void) {
    int any = __VERIFIER_nondet_int() & 1;
    const int unset;
    const _Bool unset_truth;
    const int list[12] = {[0] = any, [11] = any + 1};
    struct framed framed = {{{1}}, any};
    struct long_one other = {9, 9}, chosen = any ? other : (struct long_one){.fixed = 4};
    struct {
        const int in[3];
        int free;
    } many[3] = {{{1, 2, 3}, 4}, [2] = {{any}}};
    four(&framed.free);
    four(&chosen.list[any]);
    four(&many[1 + any].free);
#if defined UNSET
    *(int *)&unset = any;
#elif defined UNSET_TRUTH
    *(_Bool *)&unset_truth = 1;
#elif defined ZEROS
    four((int *)&list[5]);
#elif defined WALKED
    four((int *)&framed.in[any][1]);
#endif
    if (list[5] != 0 || framed.in[1][1] != 0 || many[2].in[1] != 0 || chosen.list[7] != 0 || chain(1).fixed != 1)
        reach_error();
    return 0;
}
