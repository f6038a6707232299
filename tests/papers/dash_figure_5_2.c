// TRUE
// Diamonds before an assertion that does not depend on them, figure 5.2.
#include <assert.h>

extern _Bool __VERIFIER_nondet_bool(void);

int main(void) {
    int lock = 1;
    int x = 0;
    int y = 0;
    int *p = &y;
    if (__VERIFIER_nondet_bool())
        x = x + 1;
    else
        *p = *p + 1;
    if (__VERIFIER_nondet_bool())
        x = x + 1;
    else
        *p = *p + 1;
    if (__VERIFIER_nondet_bool())
        x = x + 1;
    else
        *p = *p + 1;
    if (__VERIFIER_nondet_bool())
        x = x + 1;
    else
        *p = *p + 1;
    if (__VERIFIER_nondet_bool())
        x = x + 1;
    else
        *p = *p + 1;
    assert(lock == 1);
}
