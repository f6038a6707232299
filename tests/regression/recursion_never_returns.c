// TRUE timeout=90
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int forever(int n) { return forever(n + 1) + 1; }
int main(void) {
    forever(__VERIFIER_nondet_int());
    reach_error();
}
