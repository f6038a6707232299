// FALSE(valid-deref) property=valid-deref model=ILP32,LP64 prepare=none,default define=BUG
// TRUE property=valid-deref model=ILP32,LP64 prepare=default,none
extern unsigned __VERIFIER_nondet_uint(void);
char a[8], b[8];
int main(void) {
    static char *many[200];
    unsigned i = __VERIFIER_nondet_uint() % 200, j = __VERIFIER_nondet_uint() % 200;
    many[i] = a + ((long)b - (long)a);
    many[j] = b;
    if (i == j)
        *many[i] = 1;
    else
#ifdef BUG
        *many[i] = 1;
#else
        *many[j] = 1;
#endif
    return 0;
}
