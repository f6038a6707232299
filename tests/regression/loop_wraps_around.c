// FALSE(unreach-call) timeout=90
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);
int main(void) {
    unsigned n = __VERIFIER_nondet_uint(), i = 4000000000u;
    if (n < 4294967290u) return 0;
    while (i < n) i += 5;
    if (i > n + 15u) reach_error(); /* n + 15u is a small number */
}
