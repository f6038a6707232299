// FALSE(unreach-call)
// The callee makes a block, fills it in and returns it.
#include <assert.h>
#include <stdlib.h>

extern unsigned __VERIFIER_nondet_uint(void);

struct counter { unsigned start, steps; };

static struct counter *counter_after(unsigned start, unsigned n) {
    struct counter *made = malloc(sizeof *made);
    made->start = start;
    made->steps = 0;
    while (n > 0) {
        if (made->steps == 1) made->start++;
        made->steps++;
        n--;
    }
    return made;
}

int main(void) {
    unsigned start = __VERIFIER_nondet_uint(), n = __VERIFIER_nondet_uint();
    struct counter *one = counter_after(start, n), *two = counter_after(start, 1);
    assert(one->start == start && one->steps == n);
    assert(two->start == start && two->steps == 1);
    free(one);
    free(two);
    return 0;
}
