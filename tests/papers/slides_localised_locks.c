// TRUE timeout=90
// The slides' example for localised precision: each p_i correlates one lock with its unlock.
#include <assert.h>

extern _Bool __VERIFIER_nondet_bool(void);

static int held;

static void lock(void) {
    assert(!held);
    held = 1;
}

static void unlock(void) {
    assert(held);
    held = 0;
}

int main(void) {
    _Bool p1 = __VERIFIER_nondet_bool(), p2 = __VERIFIER_nondet_bool(), p3 = __VERIFIER_nondet_bool();
    while (__VERIFIER_nondet_bool()) {
        if (p1)
            lock();
        if (p1)
            unlock();
        if (p2)
            lock();
        if (p2)
            unlock();
        if (p3)
            lock();
        if (p3)
            unlock();
    }
    return 0;
}
