// FALSE(unreach-call)
// A shift by 32 is undefined: its result is arbitrary, and no pass may decide for us.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 33)
        return 0;
    int x = 1 << n;
    if (n == 33 && x == 12345)
        reach_error();
    return 0;
}
