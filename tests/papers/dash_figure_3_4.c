// TRUE
// DASH's running example, figure 3.4.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    if (x > 20) {
        x = x - 20;
        if (x == 0)
            reach_error();
    }
    return 0;
}
