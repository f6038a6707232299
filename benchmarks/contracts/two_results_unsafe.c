// FALSE(unreach-call)
// The smallest and the largest of any number of inputs, through two pointers.
#include <assert.h>

extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);

static void range(unsigned n, int *smallest, int *largest) {
    *smallest = *largest = __VERIFIER_nondet_int();
    while (n > 0) {
        int x = __VERIFIER_nondet_int();
        if (x < *smallest) *smallest = x;
        else if (x > *largest) *smallest = x;
        n--;
    }
}

int main(void) {
    int low, high;
    range(__VERIFIER_nondet_uint(), &low, &high);
    assert(low <= high);
    int other_low, other_high;
    range(__VERIFIER_nondet_uint(), &other_low, &other_high);
    if (high < other_low) assert(low < other_high);
    return 0;
}
