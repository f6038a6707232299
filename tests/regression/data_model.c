// TRUE
// TRUE model=LP64
// FALSE(unreach-call) model=ILP32
#include <assert.h>
int main(void) {
    assert(sizeof(long) == 8 && sizeof(void *) == 8 && sizeof(int) == 4);
    return 0;
}
