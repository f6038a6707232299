// TRUE
// A program that has reach_error says by it what an error is; a failing assert only ends the run.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
    int n = __VERIFIER_nondet_int();
    assert(n > 0);
    if (n <= 0)
        reach_error();
    return 0;
}
