// FALSE(unreach-call)
// The callee changes globals only by memcpy, in a structure that begins with another one.
#include <assert.h>
#include <string.h>

extern int __VERIFIER_nondet_int(void);
struct both { int kept, changed; } g = {1, 1};

static void put(void *to, unsigned size, unsigned times) {
    int values[2] = {1, 2};
    while (times > 0) {
        memcpy(to, values, size);
        times--;
    }
}

int main(void) {
    unsigned n = (unsigned)__VERIFIER_nondet_int();
    put(&g, sizeof g.kept, n);
    assert(g.kept == 1 && g.changed == 1);
    put(&g, sizeof g, n);
    assert(g.changed == 1);
    return 0;
}
