// TRUE model=LP64
// FALSE(unreach-call) model=ILP32
// A contract that was proved for one data model is none for the other.
#include <assert.h>

extern unsigned __VERIFIER_nondet_uint(void);

static unsigned long sum(unsigned n) {
    unsigned long all = 0xfffffff0ul;
    for (unsigned i = 0; i < (n & 31); i++) all++;
    return all;
}

int main(void) {
    assert(sum(__VERIFIER_nondet_uint()) >= 0xfffffff0ul);
    return 0;
}
