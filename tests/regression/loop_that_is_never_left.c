// TRUE
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
    unsigned x = 1;
    while (x) { if (__VERIFIER_nondet_int()) x = 3 - x; }
    reach_error();
}
