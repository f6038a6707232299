// TRUE
// Slide 19: predicates x > 0 and y >= 0. The slides' numbers do not wrap around, so x + y is assumed not to.
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int main(void) {
    int x, y;
    x = 1;
    y = 2;
    while (__VERIFIER_nondet_int()) {
        __VERIFIER_assume(x <= 2147483647 - y);
        x = x + y;
    }
    if (!(x > 0))
        reach_error();
    return 0;
}
