// TRUE
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int a = 1, b = 2;
    int *p = __VERIFIER_nondet_int() ? &a : &b;
    int **pp = &p;
    **pp = 7;
    assert(a == 7 || b == 7);
    assert(a + b == 9 || a + b == 8);
    int *table[3] = {&a, &b, *pp};
    *table[2] = 0;
    assert(a == 0 || b == 0);
    return 0;
}
