// TRUE
// Slide 38: the trace of the slides on interpolation. Predicates, by slide 58: x = ctr, x = ctr - 1, y = x + 1, y = i.
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void) {
    unsigned ctr, i, x, y;
    ctr = __VERIFIER_nondet_uint();
    i = __VERIFIER_nondet_uint();
    x = ctr;
    ctr = ctr + 1;
    y = ctr;
    if (x == i - 1) {
        if (y != i)
            reach_error();
    }
    return 0;
}
