// FALSE(unreach-call)
// Slide 72: unnecessary refinements. Each abstract counterexample takes one iteration more than the one before.
extern void reach_error(void);

int main(void) {
    int x;
    x = 0;
    while (x < 1000000)
        x = x + 1;
    if (!(x < 100))
        reach_error();
    return 0;
}
