// TRUE
#include <assert.h>
#include <stdlib.h>
int main(void) {
    int *a = calloc(3, sizeof(int));
    assert(a[0] == 0 && a[2] == 0);
    a[1] = 5;
    a = realloc(a, 6 * sizeof(int));
    assert(a[1] == 5);
    a[5] = 1;
    free(a);
    char *local = __builtin_alloca(4);
    local[3] = 7;
    assert(local[3] == 7);
    return 0;
}
