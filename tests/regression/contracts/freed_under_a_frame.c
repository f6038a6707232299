// FALSE(valid-deref) property=memory-safety
// No byte of the caller's block changes in the callee; but for some n it is no block any more.
#include <stdlib.h>

extern unsigned __VERIFIER_nondet_uint(void);

static unsigned rounds(int *block, unsigned n) {
    unsigned done = 0;
    while (done < n) {
        done++;
        if (done == 3) free(block);
        if (done == 4) break;
    }
    return done;
}

int main(void) {
    int *block = malloc(sizeof *block);
    *block = 5;
    unsigned done = rounds(block, __VERIFIER_nondet_uint());
    if (done <= 4) *block = 6;
    if (done < 3) free(block);
    return 0;
}
