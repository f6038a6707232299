// TRUE
// Slides 9-12: signs of x, y and z. The slides' numbers do not wrap around, so y is not the least one, and it is not 0,
// where the slides' second branch means y < 0.
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int main(void) {
    int x, y, z;
    y = __VERIFIER_nondet_int();
    __VERIFIER_assume(y > -2147483647 - 1);
    __VERIFIER_assume(y != 0);
    z = 5;
    if (y > 0)
        x = z;
    else
        x = -y;
    if (!(x > 0))
        reach_error();
    return 0;
}
