// TRUE
// Slide 60: a trace through calls, of which predicates must speak of the callee's variables only. The assumption of f3
// in the trace is a branch here: neither way leads to the error.
extern void reach_error(void);

static int f2(int z) {
    z = z + 1;
    z = 2 * z;
    return z;
}

static int f1(int y) {
    y = f2(y);
    return y;
}

static int f3(int w) {
    if (w < 5)
        return w;
    return 5;
}

int main(void) {
    int x1, x3, x4, x5;
    x1 = 3;
    if (x1 > 0) {
        x3 = f1(x1);
        x4 = x3 + 1;
        x5 = f3(x4);
        if (x4 > 5) {
            if (x1 == x3 + 2)
                reach_error();
        }
        return x5;
    }
    return 0;
}
