/* A ring buffer of four cells. Whatever sequence of six operations the environment
   chooses, what is taken out is what was put in, in order, and the count is right. */
#include <assert.h>

#define CELLS 4

extern int __VERIFIER_nondet_int(void);
extern _Bool __VERIFIER_nondet_bool(void);

struct ring {
    int cell[CELLS];
    unsigned first;
    unsigned used;
};

static _Bool put(struct ring *ring, int value) {
    if (ring->used == CELLS)
        return 0;
    ring->cell[(ring->first + ring->used) % CELLS] = value;
    ring->used++;
    return 1;
}

static _Bool take(struct ring *ring, int *value) {
    if (ring->used == 0)
        return 0;
    *value = ring->cell[ring->first];
    ring->first = (ring->first + 1) % CELLS;
    ring->used--;
    return 1;
}

int main(void) {
    struct ring ring = {.first = 0, .used = 0};
    int next_in = __VERIFIER_nondet_int();
    int next_out = next_in;

    for (int round = 0; round < 6; round++) {
        if (__VERIFIER_nondet_bool()) {
            if (put(&ring, next_in))
                next_in = (int)((unsigned)next_in + 1u);
        } else {
            int value;
            if (take(&ring, &value)) {
                assert(value == next_out);
                next_out = (int)((unsigned)next_out + 1u);
            }
        }
        assert(ring.used <= CELLS);
    }
    return 0;
}
