// FALSE(unreach-call) model=ILP32,LP64 prepare=default,none
// TRUE define=SAFE model=ILP32,LP64 prepare=default,none
// Objects that are called as formulas call the values of others: of a local, of external memory, of a summary.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

int g asm("__cp_main.x#2");
int h asm("main.x#2");
int external;
int memory0[4];

int main(void) {
    int x, i;
    g = __VERIFIER_nondet_int();
    h = __VERIFIER_nondet_int();
    external = __VERIFIER_nondet_int();
    int before = x;
    int *p = &x;
    for (i = 0; i < __VERIFIER_nondet_int(); i++)
        *p = before;
#ifdef SAFE
    if (*p != before)
#else
    if (*p != g && *p != h && *p != external)
#endif
        reach_error();
    return 0;
}
