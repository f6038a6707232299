// function ring_get
// requires valid(r) && r->head < 8 && r->count <= 8 && valid(out) && separate(r, out)
// assigns r->head, r->count, *out
// ensures result == (old(r->count) > 0)
// ensures r->count == old(r->count) - (unsigned)result
// ensures r->head == (old(r->head) + (unsigned)result) % 8
// ensures result == 1 ==> *out == old(r->items[r->head % 8])

struct ring {
    unsigned head, count;
    int items[8];
};

int ring_get(struct ring *r, int *out) {
    if (r->count == 0) return 0;
    *out = r->items[r->head];
    r->head = (r->head + 1) % 8;
    r->count--;
    return 1;
}
