// FALSE(unreach-call) timeout=90
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int length(int n) { return n <= 0 ? 0 : n == 40 ? 0 : 1 + length(n - 1); }
int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n >= 0 && n < 100 && length(n) != n) reach_error();
}
