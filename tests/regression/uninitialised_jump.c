// FALSE(uninitialised) property=uninitialised model=ILP32,LP64 prepare=default,none
// TRUE property=uninitialised model=ILP32,LP64 prepare=none,default define=SAFE
// A local whose declaration no run reaches, so that clang says nothing of it; temporaries are none.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int n = __VERIFIER_nondet_int(), sum = 0;
    for (int i = 0; i < 2; i++) {
        switch (n + i) {
            int y = 3;
            double z;
        case 1:
            y = 2;
            z = 1;
            sum += y;
            break;
        case 2:
#ifndef SAFE
            sum += y;
#endif
            break;
        default:
            sum += (int){4} + ({ int last = i; last; });
        }
    }
    return sum;
}
