// FALSE(valid-deref) property=memory-safety model=ILP32,LP64 prepare=none,default define=BUG
// TRUE property=memory-safety model=ILP32,LP64 prepare=default,none
// Pointers before and behind their object are no fault; accesses through them are theirs.
extern unsigned __VERIFIER_nondet_uint(void);
int main(void) {
    int a[5], b[5];
    int *one = a - 1, *rows[2] = {a - 1, b + 7};
    for (int i = 1; i <= 5; i++)
        one[i] = i;
    rows[0][5] = 1;
    rows[1][-3] = 1;
#ifdef BUG
    rows[1][-8] = 1;
#endif
    int *p = a + 5;
    while (p > a)
        *--p = 0;
    for (p = b + 4; p >= b; p--)
        *p = 0;
    return 0;
}
