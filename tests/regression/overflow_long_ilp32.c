// FALSE(no-overflow) property=no-overflow model=ILP32
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int n = __VERIFIER_nondet_int();
    long wide = (long)n + 1;
    return wide > n;
}
