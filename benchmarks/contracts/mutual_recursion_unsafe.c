// FALSE(unreach-call)
// Two functions call each other; each counts in its own global.
#include <assert.h>

extern unsigned __VERIFIER_nondet_uint(void);

unsigned pings, pongs;

static void pong(unsigned n);

static void ping(unsigned n) {
    if (n == 0) return;
    pings++;
    pong(n - 1);
}

static void pong(unsigned n) {
    if (n == 0) return;
    pongs++;
    pong(n - 1);
}

int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    ping(n);
    assert(pings + pongs == n);
    assert(pings == pongs || pings == pongs + 1);
    return 0;
}
