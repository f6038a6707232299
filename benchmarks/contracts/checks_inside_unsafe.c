// FALSE(unreach-call)
// The check is in the callee, about a global that other callees change.
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int balance;

static void deposit(int amount) {
    assert(balance >= 0);
    if (amount > 0 && balance <= 1000000 - amount) balance += amount;
}

static void withdraw(int amount) {
    assert(balance >= 0);
    if (amount > 0 && balance + 1 >= amount) balance -= amount;
}

static void day(void) {
    while (__VERIFIER_nondet_int()) {
        int amount = __VERIFIER_nondet_int();
        if (amount > 1000) continue;
        if (__VERIFIER_nondet_int()) deposit(amount);
        else withdraw(amount);
    }
}

int main(void) {
    day();
    assert(balance <= 1000000);
    day();
    return 0;
}
