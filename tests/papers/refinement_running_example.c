// TRUE timeout=90
// The running example of abstraction refinement, figure 2.3: needs the predicate x == y.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int x = 0;
    int y = x;
    while (x == y) {
        x++;
        if (x == y)
            reach_error();
        y = __VERIFIER_nondet_int();
    }
    return 0;
}
