// function ring_put
// requires valid(r) && r->head < 8 && r->count <= 8
// assigns r->count, r->items[(r->head + r->count) % 8]
// ensures result == (old(r->count) < 8)
// ensures r->count == old(r->count) + (unsigned)result
// ensures r->head < 8 && r->count <= 8
// ensures result == 1 ==> r->items[(r->head + r->count + 7) % 8] == value

struct ring {
    unsigned head, count;
    int items[8];
};

int ring_put(struct ring *r, int value) {
    if (r->count == 8) return 0;
    r->items[(r->head + r->count) % 8] = value;
    r->count++;
    return 1;
}
