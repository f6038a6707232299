// UNKNOWN define=FAR engines=predicates prepare=default,none
// TRUE engines=houdini model=ILP32,LP64 prepare=none,default
/* An index without bounds moves a pointer into another object than its own: what is behind a loop does not count on
   its accesses, which write nothing then. */
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int a[4], b[4];
int main(void) {
    int i = __VERIFIER_nondet_int(), n = __VERIFIER_nondet_int();
    int *q = (__VERIFIER_nondet_int() ? a : b) + i;
#ifndef FAR
    if (i < 0 || i > 3) return 0;
#endif
    for (int k = 0; k < n; k++) { }
#ifdef FAR
    if (q != b || i == 0) return 0;
#endif
    b[0] = 0;
    if (q == b) { *q = 1; if (b[0] != 1) reach_error(); }
    return 0;
}
