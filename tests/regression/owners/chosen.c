// FALSE(valid-deref) property=memory-safety model=ILP32,LP64 prepare=none,default define=BUG
// TRUE property=memory-safety model=ILP32,LP64 prepare=default,none
extern int __VERIFIER_nondet_int(void);
int main(void) {
    char a[4], b[4], *p;
    long d = b - a;
    if (__VERIFIER_nondet_int())
        p = a + d;
    else
        p = b;
    if (p == b)
#ifdef BUG
        *p = 1;
#else
        *b = 1;
#endif
    return 0;
}
