// TRUE model=ILP32,LP64 prepare=default,none
// TRUE property=undefined model=ILP32,LP64 prepare=none,default
// TRUE property=memory-safety model=ILP32,LP64 prepare=default,none
// UNKNOWN(UNDEFINED) timeout=8 define=NULL_POINTER model=ILP32,LP64 prepare=default,none
// FALSE(undefined) define=NULL_POINTER property=undefined model=ILP32,LP64 prepare=none,default
// FALSE(valid-deref) define=NULL_POINTER property=memory-safety model=ILP32,LP64 prepare=default,none
// UNKNOWN(UNDEFINED) timeout=8 define=DATA model=ILP32,LP64 prepare=none,default
// FALSE(undefined) define=DATA property=undefined model=ILP32,LP64 prepare=default,none
// FALSE(valid-deref) define=DATA property=memory-safety model=ILP32,LP64 prepare=none,default
// UNKNOWN(UNDEFINED) timeout=8 define=OTHER_TYPE model=ILP32,LP64 prepare=default,none
// FALSE(undefined) define=OTHER_TYPE property=undefined model=ILP32,LP64 prepare=none,default
// FALSE(unreach-call) define=OUTSIDE model=ILP32,LP64 prepare=default,none
// TRUE define=OUTSIDE property=undefined model=ILP32,LP64 prepare=none,default
// Calls through pointers to what is no function of the call's type.
#include <stddef.h>

extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
typedef int (*operation)(int);
extern operation somewhere(void);
static int twice(int x) { return 2 * x; }
static double real(double x, double y) { return x - y; }
static int numbers[4];
double (*volatile used)(double, double) = real;

int main(void) {
    int any = __VERIFIER_nondet_int();
    operation pointer = twice;
    if (any == 3) {
#if defined NULL_POINTER
        pointer = NULL;
#elif defined DATA
        pointer = (operation)(void *)&numbers[1];
#elif defined OTHER_TYPE
        pointer = (operation)(void *)real;
#elif defined OUTSIDE
        pointer = somewhere();
        if (pointer == NULL) pointer = twice;
#endif
    }
    if (pointer(4) != 8) reach_error();
    return 0;
}
