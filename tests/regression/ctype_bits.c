// FALSE(unreach-call) model=LP64,ILP32 prepare=default,none
#include <ctype.h>
#include <assert.h>

int __VERIFIER_nondet_int(void);

int main(void) {
    int c = __VERIFIER_nondet_int();
    if (c < 0 || c > 255) return 0;
    assert((isdigit)(c) <= 1);
    return 0;
}
