// TRUE
// The slides' trace: after x = ctr; ctr++; y = ctr no run has x == i - 1 and y != i.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    unsigned ctr = (unsigned)__VERIFIER_nondet_int(), i = (unsigned)__VERIFIER_nondet_int();
    unsigned x, y;
    x = ctr;
    ctr = ctr + 1;
    y = ctr;
    if (x == i - 1) {
        if (y != i)
            reach_error();
    }
    return 0;
}
