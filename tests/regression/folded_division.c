// TRUE property=undefined model=LP64 prepare=none engines=bmc
// FALSE(undefined) property=undefined model=LP64 prepare=default define=VALUE=5%0 engines=bmc
// FALSE(undefined) property=undefined model=ILP32 prepare=none define=VALUE=(n&&1/0) engines=bmc
// FALSE(undefined) property=undefined model=ILP32 prepare=default define=VALUE=(int)1e30 engines=bmc
// FALSE(undefined) property=undefined model=LP64 prepare=none define=VALUE=(1/0?3:4) engines=bmc
// clang folds a quotient that does not exist, and may forget it.
#ifndef VALUE
#define VALUE (7 / 2 + (int)2.5)
#endif
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n == 77) n = VALUE;
    return 0;
}
