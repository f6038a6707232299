// TRUE
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
    unsigned x = __VERIFIER_nondet_int(), y = x;
    while (__VERIFIER_nondet_int()) {
        for (unsigned k = 0; k < 50; k++) { x += 3; y += 3; }
        x++; y++;
    }
    if (x != y) reach_error();
}
