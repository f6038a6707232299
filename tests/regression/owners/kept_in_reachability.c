// FALSE(unreach-call) model=ILP32,LP64 prepare=default,none timeout=20
// UNKNOWN engines=houdini timeout=6
// UNKNOWN engines=kinduction timeout=6
/* A pointer aimed at another object by a difference of addresses reads anything, also behind a loop. */
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
char a[4], b[4];
int main(void) {
    long d = (char *)b - (char *)a;
    char *q = __VERIFIER_nondet_int() ? (char *)a + d : (char *)b;
    int n = __VERIFIER_nondet_int();
    b[0] = 0;
    for (int i = 0; i < n; i++)
        if (*q) reach_error();
    return 0;
}
