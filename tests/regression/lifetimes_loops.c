// TRUE property=valid-deref model=ILP32,LP64 prepare=default,none define=GIVEN
// TRUE property=valid-deref model=ILP32,LP64 prepare=default,none define=STORED
// TRUE model=ILP32,LP64 prepare=default,none define=GIVEN
// TRUE model=ILP32,LP64 prepare=default,none define=STORED
// FALSE(valid-deref) property=valid-deref model=ILP32,LP64 prepare=default,none define=OUTLASTS
/* Loops without a bound whose locals' addresses are taken. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
static int *kept;
static void increment(int *q) { *q = *q + 1; }
int main(void) {
    int n = __VERIFIER_nondet_int();
    for (int i = 0; i < n; i++) {
        int x = i;
#ifdef GIVEN
        int *p = &x;
        increment(p);
        if (*p != i + 1) reach_error();
#elif defined STORED
        kept = &x;
        *kept = 3;
        if (x != 3) reach_error();
#else
        if (i > 2) *kept = 3;
        kept = &x;
#endif
    }
    return 0;
}
