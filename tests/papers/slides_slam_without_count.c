// FALSE(unreach-call)
// The same without the packet counter in the condition: what the first Boolean program allows.
#include <assert.h>

extern _Bool __VERIFIER_nondet_bool(void);

static int locked;

static void KeAcquireSpinLock(void) {
    assert(!locked);
    locked = 1;
}

static void KeReleaseSpinLock(void) {
    assert(locked);
    locked = 0;
}

int main(void) {
    do {
        KeAcquireSpinLock();
        if (__VERIFIER_nondet_bool())
            KeReleaseSpinLock();
    } while (__VERIFIER_nondet_bool());
    KeReleaseSpinLock();
    return 0;
}
