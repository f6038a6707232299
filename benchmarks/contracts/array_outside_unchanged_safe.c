// TRUE
// The callee changes a part of its caller's array and nothing outside of it.
#include <assert.h>

extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);

static void fill(int *a, unsigned from, unsigned to, int value) {
    for (unsigned i = from; i < to; i++) a[i] = value;
}

int main(void) {
    int a[100];
    unsigned from = __VERIFIER_nondet_uint(), to = __VERIFIER_nondet_uint(), k = __VERIFIER_nondet_uint();
    int value = __VERIFIER_nondet_int();
    if (from > to || to > 100 || k >= 100) return 0;
    for (unsigned i = 0; i < 100; i++) a[i] = (int)i;
    fill(a, from, to, value);
    assert(a[k] == (from <= k && k < to ? value : (int)k));
    return 0;
}
