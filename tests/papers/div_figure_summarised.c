// FALSE(unreach-call) define=FIGURE_2B
// FALSE(unreach-call) define=FIGURE_4A
// TRUE define=FIGURE_4B
// FALSE(unreach-call) define=FIGURE_4B,ANY
// Dynamic inference paper, figures 2(b), 4(a) and 4(b): the program with compare summarised, for x up to INT_MAX. The first
// two have spurious counterexamples, the last has none; with ANY x it has the real one.
#include <assert.h>

extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);

#if defined FIGURE_2B
int compare(int a, int b) { return __VERIFIER_nondet_int(); }
#elif defined FIGURE_4A
int compare(int a, int b) {
    int pid = __VERIFIER_nondet_int(), ret;
    __VERIFIER_assume(pid >= 0 && pid < 2);
    if (pid == 0) __VERIFIER_assume(a > b);
    else __VERIFIER_assume(!(a > b));
    ret = __VERIFIER_nondet_int();
    if (pid == 0) __VERIFIER_assume(ret == a || ret == b);
    else __VERIFIER_assume(ret == a || ret == b);
    return ret;
}
#elif defined FIGURE_4B
int compare(int a, int b) {
    int pid = __VERIFIER_nondet_int(), ret;
    __VERIFIER_assume(pid >= 0 && pid < 3);
    if (pid == 0) __VERIFIER_assume(a > b && a > 0);
    else if (pid == 1) __VERIFIER_assume(!(a > 0) && a > b);
    else __VERIFIER_assume(!(a > b));
    ret = __VERIFIER_nondet_int();
    if (pid == 0) __VERIFIER_assume(ret == a && (ret == a || ret == b));
    else if (pid == 1) __VERIFIER_assume(ret == b && (ret == a || ret == b));
    else __VERIFIER_assume(ret == a || ret == b);
    return ret;
}
#endif

int main(void) {
    unsigned int x = __VERIFIER_nondet_uint();
#ifndef ANY
    if (x > 0x7fffffffu) return 0;
#endif
    assert(compare(x, -x) == x);
    return 0;
}
