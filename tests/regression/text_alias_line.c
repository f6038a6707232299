// TRUE model=ILP32,LP64 prepare=default,none
// FALSE(unreach-call) model=ILP32,LP64 prepare=default,none define=BUG
// Strings that look like the definition of an alias, in objects that nothing may remove.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

int f(void) { return 1; }
extern int g(void) __attribute__((alias("f")));

char one[] = "x = alias i32 (), ptr @f";
char two[] = " alias i8, ptr @f";
const char *names[] = {one, two, " alias i8, ptr @main\n@two = global i8 0"};

int main(void) {
    int k = __VERIFIER_nondet_int();
    if (k < 0 || k > 2)
        return 0;
    const char *here = names[k];
    int at = k == 0 ? 4 : 1;
    if (g() != 1 || here[at] != 'a' || here[at + 4] != 's')
        reach_error();
#ifdef BUG
    if (k == 1 && two[7] == 'i')
        reach_error();
#endif
    return 0;
}
