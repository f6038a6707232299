// TRUE property=memory-safety
#include <stdlib.h>
extern unsigned __VERIFIER_nondet_uint(void);
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    if (n == 0 || n > 3)
        return 0;
    int *a = malloc(n * sizeof(int));
    for (unsigned i = 0; i < n; i++)
        a[i] = (int)i;
    int *end = a + n;
    int last = end[-1];
    free(a);
    return last;
}
