// FALSE(valid-deref) property=memory-safety model=ILP32,LP64 prepare=default,none define=ARRAY
// FALSE(valid-deref) property=memory-safety model=ILP32,LP64 prepare=default,none define=NEXT
// FALSE(valid-deref) property=memory-safety model=ILP32,LP64 prepare=default,none define=RETURNED
// FALSE(valid-deref) property=memory-safety model=ILP32,LP64 prepare=default,none define=RETURNED_IN_LOOP
// FALSE(valid-deref) property=memory-safety model=ILP32,LP64 prepare=default,none define=LITERAL
// FALSE(valid-deref) property=memory-safety model=ILP32,LP64 prepare=default,none define=TEMPORARY
// TRUE property=memory-safety model=ILP32,LP64 prepare=default,none define=BLOCKS
// TRUE property=memory-safety model=ILP32,LP64 prepare=default,none define=NESTED
/* Variable-length arrays end with their block, memory of alloca with the call; compound literals and temporaries. */
extern int __VERIFIER_nondet_int(void);
struct four { int a[4]; };
static int *kept;
static struct four four(void) { struct four s = {{1, 2, 3, 4}}; return s; }
static int *once(int n) { int *p = __builtin_alloca(n * sizeof(int)); *p = 1; return p; }
static int *often(int n) {
    int *p = 0;
    for (int i = 0; i < n; i++) { p = __builtin_alloca(sizeof(int)); *p = 1; }
    return p;
}
int main(void) {
    int *p = 0, n = __VERIFIER_nondet_int();
    if (n < 1 || n > 4) return 0;
#ifdef ARRAY
    { int v[n]; v[0] = 1; int w[n]; w[0] = 2; p = w; }
    return *p;
#elif defined NEXT
    for (int k = 1; k < 3; k++) { int v[k]; v[0] = 1; if (p) v[0] = *p; p = v; }
    return 0;
#elif defined RETURNED
    return *once(4);
#elif defined RETURNED_IN_LOOP
    return *often(2);
#elif defined LITERAL
    { p = &(int){4}; }
    return *p;
#elif defined TEMPORARY
    kept = four().a;
    return *kept;
#elif defined BLOCKS
    int *all[3];
    for (int i = 0; i < 3; i++) { all[i] = __builtin_alloca(sizeof(int)); *all[i] = i; }
    return *all[0] + *all[2];
#else
    int r = 0;
    { int v[n]; v[0] = 1; { int w[n]; w[n - 1] = 2; r = w[n - 1]; } r += v[0]; }
    for (int i = 0; i < 2; i++) r += four().a[i];
    return r;
#endif
}
