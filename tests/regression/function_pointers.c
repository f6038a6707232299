// FALSE(unreach-call)
#include <assert.h>
extern unsigned __VERIFIER_nondet_uint(void);
static int add(int a, int b) { return a + b; }
static int subtract(int a, int b) { return a - b; }
static int multiply(int a, int b) { return a * b; }
int main(void) {
    int (*operations[])(int, int) = {add, subtract, multiply};
    unsigned n = __VERIFIER_nondet_uint();
    if (n < 3)
        assert(operations[n](6, 3) != 18);
    return 0;
}
