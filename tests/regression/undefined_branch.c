// FALSE(unreach-call) define=BRANCH prepare=default,none
// FALSE(unreach-call) define=LOOP prepare=none,default
// FALSE(unreach-call) define=CHOICE prepare=default,none
// A constant to which C gives no value decides where a run goes: either way, and the run goes on.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
#define NONE ((unsigned)-1.0f * 0)

int main(void) {
    int x = __VERIFIER_nondet_int(), n = 0;
    if (x * x != 1522756)
        return 0;
#if defined BRANCH
    if (!(NONE == 0))
        n = 1;
#elif defined LOOP
    while (NONE)
        if (n++)
            break;
#else
    n = NONE > 4 && x ? 3 : 2;
#endif
    if (x < 0 && n < 9)
        reach_error();
    return 0;
}
