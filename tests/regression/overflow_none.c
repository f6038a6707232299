// TRUE property=no-overflow
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int n = __VERIFIER_nondet_int();
    unsigned wraps = (unsigned)n * 3u + 7u;
    if (n > -1000 && n < 1000)
        n = n * n - 2 * n;
    signed char c = 127;
    c++;
    return n != (int)wraps;
}
