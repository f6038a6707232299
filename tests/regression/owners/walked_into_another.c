// UNKNOWN(UNSUPPORTED) property=valid-deref engines=bmc model=ILP32,LP64 prepare=none,default
/* A pointer that walks out of its object, step by step, may come to lie in another: in some placement of the objects. */
extern int __VERIFIER_nondet_int(void);
int a[4], b[4], *kept;
int main(void) {
    int *p = a + 3;
    while (__VERIFIER_nondet_int()) p++;
    kept = p;
    if (kept == b) return *kept;
    return 0;
}
