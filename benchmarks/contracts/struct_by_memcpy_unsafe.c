// FALSE(unreach-call)
// A structure of the caller is written by memcpy.
#include <assert.h>
#include <string.h>

extern unsigned __VERIFIER_nondet_uint(void);

struct split { unsigned low, high; };

static void share(struct split *out, unsigned n) {
    struct split made = {0, n};
    while (made.high > made.low && made.high - made.low > 1) {
        made.low++;
        made.high--;
    }
    memcpy(out, &made, sizeof made.low);
}

int main(void) {
    struct split both = {0, 0};
    unsigned n = __VERIFIER_nondet_uint();
    share(&both, n);
    assert(both.low + both.high == n);
    return 0;
}
