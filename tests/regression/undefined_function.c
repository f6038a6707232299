// FALSE(unreach-call)
#include <assert.h>
extern int somewhere_else(int);
int main(void) {
    int kept = 3;
    int x = somewhere_else(kept);
    assert(kept == 3);
    assert(x >= 0);
    return 0;
}
