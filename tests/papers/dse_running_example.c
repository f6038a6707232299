// FALSE(unreach-call)
// The running example of dynamic symbolic execution in the DASH thesis, figure 2.1.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    if (x == 13) {
        if (x < 10)
            reach_error();
        int y = __VERIFIER_nondet_int();
        x = x + y;
        if (x < 0)
            reach_error();
    }
    return 0;
}
