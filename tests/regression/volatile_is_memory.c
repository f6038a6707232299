// TRUE
#include <assert.h>
int main(void) {
    volatile int v = 3;
    v = v + 1;
    assert(v == 4);
    return 0;
}
