// TRUE timeout=90
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);
int main(void) {
    unsigned n = __VERIFIER_nondet_uint(), i = 0;
    if (n < 4294967290u) return 0;
    while (i < n) i += 16; /* never left: the largest multiple of 16 is 4294967280 */
    reach_error();
}
