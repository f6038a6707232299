// TRUE
// A stack of bounded size in globals: pushes and pops in any order.
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int items[4];
unsigned top;

static int push(int value) {
    if (top >= 4) return 0;
    assert(top < 4);
    items[top++] = value;
    return 1;
}

static int pop(int *value) {
    if (top == 0) return 0;
    *value = items[--top];
    return 1;
}

static void work(void) {
    while (__VERIFIER_nondet_int()) {
        int got;
        if (__VERIFIER_nondet_int() || !pop(&got)) push(1);
    }
}

int main(void) {
    int got = 0;
    work();
    unsigned before = top;
    if (push(42)) {
        assert(pop(&got) && got == 42 && top == before);
    }
    return 0;
}
