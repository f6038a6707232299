// TRUE model=ILP32,LP64
// UNKNOWN engines=houdini,spacer,predicates,kinduction define=BEHIND
// UNKNOWN engines=houdini,spacer,predicates,kinduction define=HEAP
// UNKNOWN engines=houdini,spacer,predicates,kinduction define=NUMBERS
// UNKNOWN engines=houdini,spacer,predicates,kinduction define=VARIABLE
// UNKNOWN engines=houdini,spacer,predicates,kinduction prepare=default,none define=FURTHER
// UNKNOWN engines=houdini,spacer,predicates,kinduction prepare=default,none define=TURNED
// UNKNOWN engines=houdini,spacer,predicates,kinduction model=ILP32 define=WIDER
// In proofs by invariants as well one object may begin where another ends, wherever the pointers come from.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern void *malloc(__SIZE_TYPE__);
int one[4], two[4];
int *end, *start;
int main(void) {
    int *block = malloc(16), *other = malloc(16);
    end = one + 4, start = two;
    while (__VERIFIER_nondet_int())
        one[0]++, two[0]--, block[1]++;
#ifdef BEHIND
    if (end == start)
        reach_error();
#endif
#ifdef VARIABLE
    int *moved = one + __VERIFIER_nondet_int() % 8;
    if (moved == start)
        reach_error();
#endif
#ifdef HEAP
    if (block + 4 == other)
        reach_error();
#endif
#ifdef NUMBERS
    if ((unsigned long)end == (unsigned long)start)
        reach_error();
#endif
#ifdef FURTHER
    if ((unsigned long)end - 4 == (unsigned long)start - 4)
        reach_error();
#endif
#ifdef TURNED
    if (~(unsigned long)end == ~(unsigned long)start)
        reach_error();
#endif
#ifdef WIDER
    if ((long long)(long)end == (long long)(long)start)
        reach_error();
#endif
    if (end - 1 == start || one == two || block == other || end == (int *)0)
        reach_error();
    return 0;
}
