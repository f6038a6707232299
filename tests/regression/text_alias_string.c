// TRUE model=ILP32,LP64 prepare=default,none
// FALSE(unreach-call) model=ILP32,LP64 prepare=default,none define=BUG
// A string that names a symbol: "@g" beside g, an alias of f.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

int f(void) { return 1; }
extern int g(void) __attribute__((alias("f")));

char said[] = "@g, @f";

int main(void) {
    int k = __VERIFIER_nondet_int() ? 1 : 5;
    if (g() != 1 || said[k] != (k == 1 ? 'g' : 'f'))
        reach_error();
#ifdef BUG
    if (said[k] == 'g')
        reach_error();
#endif
    return 0;
}
