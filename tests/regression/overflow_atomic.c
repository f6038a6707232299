// TRUE property=no-overflow model=LP64,ILP32 prepare=default,none
// FALSE(no-overflow) property=no-overflow model=LP64,ILP32 prepare=default,none define=BUG=1
// FALSE(no-overflow) property=no-overflow model=ILP32,LP64 prepare=none,default define=BUG=2
// FALSE(no-overflow) property=no-overflow model=LP64,ILP32 prepare=default,none define=BUG=3
// FALSE(no-overflow) property=no-overflow model=ILP32,LP64 prepare=default,none define=BUG=4
// FALSE(no-overflow) property=no-overflow model=ILP32,LP64 prepare=none,default define=BUG=5
// TRUE model=LP64,ILP32 prepare=default,none define=BUG=1
// What operators do to atomic objects overflows as elsewhere (C17, 6.5.2.4 and 6.5.16.2); atomic_fetch_add wraps.
#include <assert.h>
#include <limits.h>
#include <stdatomic.h>
extern unsigned char __VERIFIER_nondet_uchar(void);
static _Atomic int number = INT_MAX;
static _Atomic long long wide;
static _Atomic short narrow = SHRT_MAX;
static _Atomic unsigned count = UINT_MAX;
int main(void) {
#if BUG == 1
    number++;
#elif BUG == 2
    number = INT_MIN;
    int before = --number;
    narrow = before;
#elif BUG == 3
    wide = LLONG_MAX - 254;
    wide += __VERIFIER_nondet_uchar();
#elif BUG == 4
    wide = LLONG_MIN + 254;
    wide -= __VERIFIER_nondet_uchar();
#elif BUG == 5
    for (int i = 0; i < 300; i++) {
        number -= 2;
        wide++;
    }
    number += 601;
#else
    atomic_fetch_add(&number, 1);
    narrow++;
    narrow += 5;
    count++;
    count -= 7;
    for (int i = 0; i < 300; i++)
        wide += 2;
    return wide == 600;
#endif
    assert(number != INT_MAX);
    return narrow;
}
