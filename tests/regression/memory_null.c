// FALSE(valid-deref) property=memory-safety
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int x = 0;
    int *p = __VERIFIER_nondet_int() == 3 ? 0 : &x;
    return *p;
}
