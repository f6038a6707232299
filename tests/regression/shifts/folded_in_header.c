// UNKNOWN(UNDEFINED) engines=bmc property=no-overflow model=ILP32
// UNKNOWN(UNDEFINED) engines=bmc property=no-overflow prepare=none
// TRUE property=unreach-call model=ILP32,LP64 prepare=none,default
// A line marker that makes code a system header's does not keep the compiler from remarking on it.
# 1 "/usr/include/other.h" 1 3 4
extern int __VERIFIER_nondet_int(void);
static int folded = 2147483647 + 1;
# 40 "program.c" 2
int main(void) {
    int n = __VERIFIER_nondet_int() & 7;
    return folded ^ n;
}
