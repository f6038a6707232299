// FALSE(unreach-call) or UNKNOWN
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_error(void);
int main(void) {
    if (__VERIFIER_nondet_int() == 5)
        goto ERROR;
    return 0;
ERROR:
    __VERIFIER_error();
    return 1;
}
