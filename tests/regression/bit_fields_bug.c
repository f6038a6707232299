// FALSE(unreach-call)
#include <assert.h>
extern unsigned __VERIFIER_nondet_uint(void);
struct flags { unsigned a : 3; };
int main(void) {
    struct flags f;
    unsigned n = __VERIFIER_nondet_uint();
    f.a = n;
    assert(f.a == n);
    return 0;
}
