// FALSE(unreach-call)
#include <assert.h>
#include <stdio.h>
int main(void) {
    int c = getchar();
    assert(c != 'x');
    return 0;
}
