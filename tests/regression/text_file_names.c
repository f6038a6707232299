// FALSE(unreach-call) model=ILP32,LP64 prepare=default,none
// TRUE model=ILP32,LP64 prepare=default,none define=SAFE
// Names of files that are pieces of LLVM's debug information and of SMT-LIB.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern void *malloc(__SIZE_TYPE__);

static int pick(int n) {
#line 7 "line: 3, file: !1, name: \"ERROR\") |x~>1.2#3\\ \" ; "
    int *block = malloc(sizeof(int) * 4), k;
    for (k = 0; k < 4; k++)
        block[k] = n;
#line 90 "a|b"
    return block[2] + block[__VERIFIER_nondet_int() & 3];
}

#line 5 ""
int main(void) {
    int n = __VERIFIER_nondet_int();
#ifdef SAFE
    if (n > -100 && n < 100 && pick(n) != 2 * n)
#line 1 "\n\t\377"
#else
    if (n > -100 && n < 100 && pick(n) == 42)
#line 3 "x.c"
#endif
        reach_error();
    return 0;
}
