// TRUE timeout=90
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
    unsigned n = __VERIFIER_nondet_int(), i = 0, square = 0, odd = 1;
    while (i < n) { square += odd; odd += 2; i++; }
    if (square != n * n) reach_error();
}
