// FALSE(unreach-call)
// The callee reports an error and returns as if nothing were: its contract is right, the program is not.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

static int bounded(int x) {
    if (x == 3) {
        reach_error();
        return 0;
    }
    while (x > 7 || x < 0) x = x / 2 + (x < 0 ? 1 : 0);
    return x;
}

int main(void) {
    int x = bounded(__VERIFIER_nondet_int() & 1023);
    if (x < 0 || x > 7) reach_error();
    return 0;
}
