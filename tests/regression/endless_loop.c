// UNKNOWN or TRUE timeout=3
extern void reach_error(void);
int main(void) {
    unsigned n = 0;
    for (;;) {
        n += 2;
        if (n == 7)
            reach_error();
    }
}
