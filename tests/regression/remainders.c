// TRUE
// FALSE(unreach-call) define=ZERO
// FALSE(unreach-call) define=NEGATIVE
/* Quotients and remainders of a divisor that is not known: below it, of the number's sign, at most as large. */
extern unsigned __VERIFIER_nondet_uint(void);
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    unsigned a = __VERIFIER_nondet_uint(), size = __VERIFIER_nondet_uint();
    int x = __VERIFIER_nondet_int(), n = __VERIFIER_nondet_int();
    if (size == 0 || n <= 0)
        return 0;
    if (a % size >= size || a / size > a || a / size * size > a || a - a / size * size >= size)
        reach_error();
    unsigned long wide = (unsigned long)a % (unsigned long)size;
    long kept = (long)x % (long)n;
    if (wide >= size || kept >= n)
        reach_error();
#if !defined(NEGATIVE)
    if (x < 0)
        return 0;
#endif
    if (x % n < 0 || x % n >= n || x / n > x)
        reach_error();
#if defined(ZERO)
    if (x % n == 0 && x / n == 7 && n > 1000)
        reach_error();
#endif
    return 0;
}
