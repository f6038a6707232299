// FALSE(unreach-call)
#include <assert.h>
int main(void) {
    int x;
    assert(x != 1234567);
    return 0;
}
