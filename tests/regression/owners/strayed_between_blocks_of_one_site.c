// FALSE(valid-deref) or UNKNOWN property=valid-deref engines=houdini prepare=none,modular model=LP64,ILP32
/* Blocks made at one place of the program are not told apart by it: a pointer that leaves one and comes to lie in another. */
extern void *malloc(__SIZE_TYPE__);
extern int __VERIFIER_nondet_int(void);
static char *make(void) { return malloc(8); }
int main(void) {
    char *x = make(), *y = make(), *p = y;
    if (__VERIFIER_nondet_int()) {
        p = x + 16;
        if ((__UINTPTR_TYPE__)p != (__UINTPTR_TYPE__)y) return 0;
    }
    while (__VERIFIER_nondet_int()) { }
    *p = 1;
    return 0;
}
