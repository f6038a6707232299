// FALSE(no-overflow) property=no-overflow
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int n = __VERIFIER_nondet_int();
    return n < 0 ? -n : n;
}
