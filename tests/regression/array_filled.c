// TRUE timeout=90
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
    int a[100000], b[100000];
    for (int i = 0; i < 100000; i++) a[i] = __VERIFIER_nondet_int();
    for (int i = 0; i < 100000; i++) b[i] = a[i];
    for (int i = 0; i < 100000; i++) if (a[i] != b[i]) reach_error();
}
