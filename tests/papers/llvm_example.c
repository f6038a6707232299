// TRUE
// The program compiled to LLVM IR in figure 2.6, with its result asserted.
extern void reach_error(void);

int a = 20;

static int example(void) {
    int x = 0;
    int y;
    if (x > a) {
        x = x - 10;
        y = x;
    } else {
        y = 0;
    }
    return y;
}

int main(void) {
    if (example() != 0)
        reach_error();
    return 0;
}
