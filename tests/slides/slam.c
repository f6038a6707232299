// TRUE
// Slides 20-24: the spin lock is acquired and released in turn. Needs the predicate nPacketsOld == nPackets.
// Whether there is a request is arbitrary each time.
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

static int lock;

static void KeAcquireSpinLock(void) {
    if (lock != 0)
        reach_error();
    lock = 1;
}

static void KeReleaseSpinLock(void) {
    if (lock != 1)
        reach_error();
    lock = 0;
}

int main(void) {
    unsigned nPackets, nPacketsOld;
    nPackets = __VERIFIER_nondet_uint();
    do {
        KeAcquireSpinLock();
        nPacketsOld = nPackets;
        if (__VERIFIER_nondet_int()) {
            KeReleaseSpinLock();
            nPackets++;
        }
    } while (nPackets != nPacketsOld);
    KeReleaseSpinLock();
    return 0;
}
