// TRUE model=ILP32,LP64 prepare=default,none
// FALSE(unreach-call) define=ONCE model=ILP32,LP64 prepare=none,default
// FALSE(unreach-call) define=CHOSEN model=ILP32,LP64 prepare=default,none
// FALSE(unreach-call) define=BEHIND model=ILP32,LP64 prepare=none,default
// A weak compare-exchange may fail although it finds what it expects; then it changes nothing. A strong one never does.
#include <stdatomic.h>
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
static _Atomic int shared = 3;
static char flag;
static _Atomic(int *) where;

int main(void) {
    int wanted = 3, other = 4, target;
    char zero = 0;
    int *nothing = 0;
#ifdef ONCE
    if (!atomic_compare_exchange_weak(&shared, &wanted, 7)) reach_error();
#elif defined CHOSEN
    int weak = __VERIFIER_nondet_int();
    if (weak && !__atomic_compare_exchange_n(&flag, &zero, 1, weak, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) reach_error();
#elif defined BEHIND
    atomic_compare_exchange_weak_explicit(&where, &nothing, &target, memory_order_relaxed, memory_order_relaxed);
    if (!where) reach_error();
#endif
    if (atomic_compare_exchange_weak(&shared, &wanted, 7)) {
        if (shared != 7) reach_error();
    } else if (shared != 3 || wanted != 3) {
        reach_error();
    }
    if (atomic_compare_exchange_weak(&shared, &other, 1) || other == 4) reach_error();
    if (!__atomic_compare_exchange_n(&flag, &zero, 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) || flag != 1) reach_error();
    wanted = 5;
    shared = 5;
    if (!atomic_compare_exchange_strong(&shared, &wanted, 6) || shared != 6) reach_error();
    if (!__sync_bool_compare_and_swap(&wanted, 5, 8) || wanted != 8) reach_error();
    return 0;
}
