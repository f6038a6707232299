// TRUE model=ILP32,LP64 prepare=default,none
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
/* Locals that only the debug information mentions stay, although shifts leave temporaries behind. */
static int amounts(int a) {
    long long never_used;
    int shifted;
    goto skip;
    shifted = a << a;
skip:;
    long long unused_too;
    return 3;
}
int main(void) {
    if (amounts(__VERIFIER_nondet_int() & 7) != 3) reach_error();
    return 0;
}
