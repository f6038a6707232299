// FALSE(valid-deref) property=memory-safety
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int a[4] = {0};
    int n = __VERIFIER_nondet_int();
    if (n >= 0 && n <= 4)
        a[n] = 1;
    return a[0];
}
