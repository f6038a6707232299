// FALSE(valid-free) property=memory-safety
// The callee frees a block of its caller and says so by a null pointer; memory safety.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct buffer { int *data; int full; };

static void fill(struct buffer *b, int value) {
    if (!b->full) b->data = malloc(sizeof *b->data);
    b->full = 1;
    *b->data = value;
}

static void drop(struct buffer *b) {
    free(b->data);
    b->full = 0;
}

static void use(struct buffer *b) {
    while (__VERIFIER_nondet_int()) {
        if (__VERIFIER_nondet_int()) fill(b, __VERIFIER_nondet_int());
        else drop(b);
    }
}

int main(void) {
    struct buffer b = {0, 0};
    use(&b);
    drop(&b);
    return 0;
}
