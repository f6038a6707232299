// FALSE(unreach-call)
// Slides 74-76: a long trace. The error is reached after 999 iterations, which do not matter for it.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static unsigned f(unsigned i) {
    unsigned r;
    r = __VERIFIER_nondet_int();
    if (r < i)
        r = r + i;
    return r;
}

int main(void) {
    int a, x;
    unsigned c, i;
    a = __VERIFIER_nondet_int();
    x = __VERIFIER_nondet_int();
    c = 0;
    for (i = 1; i < 1000; i++)
        c = c + f(i);
    if (a > 0) {
        if (x == 0)
            reach_error();
    }
    return c;
}
