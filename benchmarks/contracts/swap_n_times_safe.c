// TRUE
// Two variables of the caller change places any number of times.
#include <assert.h>

extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);

static void swap(int *p, int *q, unsigned n) {
    while (n > 0) {
        int kept = *p;
        *p = *q;
        *q = kept;
        n--;
    }
}

int main(void) {
    int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
    int a = x, b = y;
    swap(&a, &b, __VERIFIER_nondet_uint());
    assert((a == x && b == y) || (a == y && b == x));
    return 0;
}
