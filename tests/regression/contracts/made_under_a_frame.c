// FALSE(unreach-call)
// All blocks of the caller are as before; what its pointer points to behind the call is a block that was made in it.
#include <assert.h>
#include <stdlib.h>

extern unsigned __VERIFIER_nondet_uint(void);

static void longer(int **place, unsigned n) {
    while (n > 0) {
        int *made = malloc(2 * sizeof *made);
        made[0] = **place + (n == 2);
        made[1] = 0;
        *place = made;
        n--;
    }
}

int main(void) {
    int first = 1, *p = &first;
    longer(&p, __VERIFIER_nondet_uint() & 3);
    assert(first == 1);
    assert(*p == 1);
    return 0;
}
