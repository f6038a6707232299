/* However long the array is, every cell holds its own index in the end. */
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int cells[100000];

int main(void) {
    for (int i = 0; i < 100000; i++)
        cells[i] = i;
    int k = __VERIFIER_nondet_int();
    if (k >= 0 && k < 100000)
        assert(cells[k] == k);
}
