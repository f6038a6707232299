// UNKNOWN(UNSUPPORTED) model=ILP32,LP64 prepare=default,none engines=bmc
// UNKNOWN(UNSUPPORTED) model=ILP32,LP64 prepare=default,none engines=bmc define=SWAPPED
// UNKNOWN(UNSUPPORTED) model=ILP32,LP64 prepare=default,none engines=bmc define=INSIDE
// TRUE model=ILP32,LP64 prepare=default,none define=OWN
// FALSE(unreach-call) model=ILP32,LP64 prepare=default,none define=OWN,WRONG
/* A pointer that was moved from one object to the place of another is not a pointer into the latter, though the two
   are equal: no pass may take one for the other. Whether they meet hangs on where the objects lie. */
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int a[4], b[4];
struct pair { int first, second; } pair;
int main(void) {
    int i = __VERIFIER_nondet_int();
#ifdef OWN
    int *q = b + (__VERIFIER_nondet_int() ? 0 : 2);
    if (q != b) return 0;
    b[0] = 0;
    *q = 1;
# ifdef WRONG
    if (b[0] == 1) reach_error();
# else
    if (b[0] != 1) reach_error();
# endif
#elif defined INSIDE
    int *q = (__VERIFIER_nondet_int() ? a : &pair.second) + i;
    if (q != &pair.second || i == 0) return 0;
    pair.second = 0;
    *q = 1;
    if (pair.second != 1) reach_error();
#else
    int *q = (__VERIFIER_nondet_int() ? a : b) + i;
# ifdef SWAPPED
    if (!(b == q) || !i) return 0;
# else
    if (q != b || i == 0) return 0;
# endif
    b[0] = 0;
    *q = 1;
    if (b[0] != 1) reach_error();
#endif
    return 0;
}
