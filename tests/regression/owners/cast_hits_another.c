// FALSE(valid-deref) property=memory-safety model=ILP32,LP64 prepare=none,default define=BUG
// TRUE property=memory-safety model=ILP32,LP64 prepare=default,none
// An integer that is the address of an exposed object is a pointer to it, whatever it was computed from.
extern long __VERIFIER_nondet_long(void);
int main(void) {
    char a[4], b[4];
    long k = __VERIFIER_nondet_long();
    if ((long)a + k == (long)b)
        *(char *)((long)a + k) = 1;
#ifdef BUG
    else
        *(char *)((long)a + k) = 1;
#endif
    return 0;
}
