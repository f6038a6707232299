// TRUE
#include <assert.h>
struct pair { short a; long long b; };
static long long total(const struct pair *p) { return p->a + p->b; }
int main(void) {
    assert(total(&(struct pair){.a = -1, .b = 5}) == 4);
    int n = ({ int t = 3; t * 2; });
    assert(n == 6);
    return 0;
}
