// FALSE(unreach-call) model=ILP32,LP64 prepare=default,none
// FALSE(unreach-call) define=SIGNED prepare=default,none
// UNKNOWN(UNSUPPORTED) define=BEYOND prepare=default,none
// UNKNOWN(UNSUPPORTED) define=NEGATIVE
// UNKNOWN(UNSUPPORTED) define=SAFE
/* An input that is declared wider than the type that its name tells: runs with a value that both types have on every
   target count whichever is meant; whether the function gives others as well is not known. */
extern int __VERIFIER_nondet_char(), __VERIFIER_nondet_schar(), __VERIFIER_nondet_uchar();
extern void reach_error(void);

int main(void) {
#if defined(SIGNED)
    if (__VERIFIER_nondet_schar() == -100)
        reach_error();
#elif defined(BEYOND)
    if (__VERIFIER_nondet_uchar() == 256)
        reach_error();
#elif defined(NEGATIVE) /* where char has no sign, it is none of its values */
    if (__VERIFIER_nondet_char() == -1)
        reach_error();
#elif defined(SAFE)
    if (__VERIFIER_nondet_uchar() < 0)
        reach_error();
#else
    if (__VERIFIER_nondet_char() == 'A')
        reach_error();
#endif
    return 0;
}
