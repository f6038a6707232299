// FALSE(unreach-call)
// An inner activation changes the local `mine` of an outer one, and has one of the same name that stays.
#include <assert.h>

extern unsigned __VERIFIER_nondet_uint(void);

static void down(unsigned n, unsigned *outer) {
    unsigned mine = 1;
    if (n > 0) down(n - 1, &mine);
    if (outer) {
        assert(mine == 1);
        *outer = 2;
    }
}

int main(void) {
    down(__VERIFIER_nondet_uint(), 0);
    unsigned last;
    down(__VERIFIER_nondet_uint(), &last);
    return 0;
}
