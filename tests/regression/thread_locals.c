// TRUE model=ILP32,LP64 prepare=default,none
// TRUE property=memory-safety model=ILP32,LP64 prepare=default,none
// FALSE(valid-deref) property=memory-safety model=ILP32,LP64 prepare=default,none define=BUG
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
_Thread_local int t = 3;
static __thread int w[3];
static int *last(void) { return &w[2]; }
static int count(void) { static _Thread_local int calls; return ++calls; }
int main(void) {
    int *p = &t;
    *p += 1;
    *last() = t;
    count();
    if (t != 4 || w[2] != 4 || w[1] != 0 || count() != 2) reach_error();
#ifdef BUG
    w[__VERIFIER_nondet_int()] = 1;
#endif
    return 0;
}
