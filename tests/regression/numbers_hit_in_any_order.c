// UNKNOWN engines=houdini,spacer,predicates,kinduction
// UNKNOWN engines=houdini,spacer,predicates,kinduction define=IN_MEMORY
// TRUE engines=houdini define=STAYS
// In proofs by invariants new objects lie above older ones: what a number hits that has left its object is not known.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern void *malloc(__SIZE_TYPE__);
union {
    unsigned long number;
    int *pointer;
} u;
int main(void) {
    int *old = malloc(16), *here;
    old[0] = 0;
    while (__VERIFIER_nondet_int())
        old[1] ^= 1;
    int *new = malloc(16);
    new[0] = 0;
    unsigned long number = (unsigned long)old;
#ifndef STAYS
    number -= 16ul * (__VERIFIER_nondet_int() & 1023);
#endif
    if ((unsigned long)new == 1)
        return 0;
#ifdef IN_MEMORY
    u.number = number;
    here = u.pointer;
#else
    here = (int *)number;
#endif
    *here = 5;
    if (new[0] != 0)
        reach_error();
    return 0;
}
