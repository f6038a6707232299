// TRUE model=LP64
#include <assert.h>
extern unsigned long __VERIFIER_nondet_ulong(void);
int main(void) {
    unsigned long a = __VERIFIER_nondet_ulong();
    __int128 wide = (__int128)a + a;
    assert(wide >> 1 == a);
    assert((unsigned long)(wide >> 64) <= 1);
    return 0;
}
