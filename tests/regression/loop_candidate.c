// TRUE
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
extern void __counterpoint_candidate(int);
int main(void) {
    unsigned x = 0;
    while (__VERIFIER_nondet_int()) { __counterpoint_candidate((x & 7) == 0); x += 24; }
    if (x & 4) reach_error();
}
