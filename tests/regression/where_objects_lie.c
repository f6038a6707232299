// TRUE model=ILP32,LP64 prepare=default,none
// UNKNOWN(UNSUPPORTED) model=ILP32,LP64 prepare=none,default engines=bmc define=ORDER
// UNKNOWN(UNSUPPORTED) model=ILP32,LP64 prepare=default,none engines=bmc define=DISTANCE
// UNKNOWN(UNSUPPORTED) model=ILP32,LP64 prepare=none,default engines=bmc define=NUMBER
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
char one[8], two[8];
int main(void) {
    char here, there;
    int k = __VERIFIER_nondet_int(), order = &here < &there ? 1 : 2;
    if (order != 1 && order != 2)
        reach_error();
#ifdef ORDER
    if (!(&here < &there))
        reach_error();
#elif defined DISTANCE
    if (k >= 0 && k < 1000 && one + k == two)
        reach_error();
#elif defined NUMBER
    if (((long)one & 0xff0) == 0x980)
        reach_error();
#endif
    return 0;
}
