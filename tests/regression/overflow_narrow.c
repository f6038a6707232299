// TRUE property=no-overflow model=LP64
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int n = __VERIFIER_nondet_int();
    long wide = (long)n + 1;
    return wide > n;
}
