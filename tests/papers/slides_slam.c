// TRUE timeout=90
// The slides' SLAM example: the spin lock is taken and released in turn. Needs nPacketsOld == nPackets.
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
    unsigned nPackets = 0, nPacketsOld;
    do {
        KeAcquireSpinLock();
        nPacketsOld = nPackets;
        if (__VERIFIER_nondet_bool()) {
            KeReleaseSpinLock();
            nPackets++;
        }
    } while (nPackets != nPacketsOld);
    KeReleaseSpinLock();
    return 0;
}
