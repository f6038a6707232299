// FALSE(unreach-call)
// foo and neg of the inertial refinement paper, figure 1: the assertion at its line 12.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int neg(int a) {
    if (a > 0)
        return -a;
    else
        return a;
}

static int bar(int v) {
    int result = v;
    for (int i = 0; i < 10; i++)
        result = result * 3 + v;
    return result;
}

static void foo(int *p, int c) {
    int x, y;
    if (p == 0)
        x = c;
    else
        x = bar(*p);
    if (x == c)
        y = neg(x);
    else
        y = 0;
    if (!(y >= 0))
        reach_error();
}

int main(void) {
    int value = __VERIFIER_nondet_int();
    foo(__VERIFIER_nondet_int() ? &value : 0, __VERIFIER_nondet_int());
    return 0;
}
