// TRUE property=memory-safety timeout=120
// FALSE(valid-deref) property=memory-safety define=BEHIND timeout=60
// FALSE(valid-memtrack) property=memory-safety define=LOST timeout=60
#include <stdlib.h>
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    if (n == 0 || n > 1000000) return 0;
    short *b = malloc(n * sizeof *b);
    if (!b) return 0;
    short *e = b + n;
    for (short *p = b; p != e; p++) *p = 1;
    int s = 0;
#ifdef BEHIND
    for (short *p = b; p <= e; p++) s ^= *p;
#else
    for (short *p = b; p != e; p++) s ^= *p;
#endif
#ifdef LOST
    if (n == 3) return s;
#endif
    free(b);
    return s;
}
