// TRUE property=memory-safety timeout=120
// FALSE(valid-deref) property=memory-safety define=BEHIND timeout=60
// A helper fills two blocks of its caller.
#include <stdlib.h>
extern unsigned __VERIFIER_nondet_uint(void);

#ifdef BEHIND
#define LAST n
#else
#define LAST (n - 1)
#endif

static void fill(int *a, long *b, unsigned n) {
    for (unsigned i = 0; i < n; i++) {
        a[i] = (int)i;
        b[LAST - i] = a[i];
    }
}

int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    if (n == 0 || n > 100000) return 0;
    int *a = malloc(n * sizeof *a);
    long *b = malloc(n * sizeof *b);
    if (a && b) fill(a, b, n);
    free(a);
    free(b);
    return 0;
}
