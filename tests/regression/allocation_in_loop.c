// UNKNOWN(NO_PROGRESS) model=ILP32,LP64 prepare=default,none engines=houdini
// TRUE model=ILP32,LP64 prepare=default,none define=BOUNDED
// A run whose block no memory has room for is not assumed away, also where a proof starts in the middle.
#include <stdlib.h>
extern unsigned long __VERIFIER_nondet_ulong(void);
extern void reach_error(void);
int main(void) {
    unsigned long n = __VERIFIER_nondet_ulong(), i;
#ifdef BOUNDED
    if (n > 100)
        return 0;
#endif
    for (i = 0; i < n; i++)
        ;
    char *block = malloc(n);
    if (n > (unsigned long)-4096)
        reach_error();
    free(block);
    return 0;
}
