// TRUE
#include <assert.h>
struct point { int x, y; char tag[3]; };
static struct point moved(struct point p, int by) { p.x += by; p.tag[1] = 'm'; return p; }
int main(void) {
    struct point p = {.x = 1, .y = 2, .tag = "ab"};
    struct point q = moved(p, 10);
    assert(p.x == 1 && p.tag[1] == 'b');
    assert(q.x == 11 && q.y == 2 && q.tag[0] == 'a' && q.tag[1] == 'm' && q.tag[2] == 0);
    struct point r[2] = {q, p};
    r[1] = r[0];
    assert(r[1].x == 11);
    return 0;
}
