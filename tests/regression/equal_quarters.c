// FALSE(unreach-call)
// TRUE define=BOUNDED
#include <assert.h>
extern unsigned __VERIFIER_nondet_uint(void);
/* Four times two squares are equal where they wrapped around, and the squares are not. */
int main(void) {
    unsigned x = __VERIFIER_nondet_uint(), y = __VERIFIER_nondet_uint();
#ifdef BOUNDED
    if (x > 30000 || y > 30000)
        return 0;
#endif
    if (4 * x * x != 4 * y * y)
        return 0;
    assert(x * x == y * y);
    return 0;
}
