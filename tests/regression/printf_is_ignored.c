// TRUE
#include <assert.h>
#include <stdio.h>
int main(void) {
    int n = 5;
    printf("%d %s %f\n", n, "text", 1.5);
    puts("done");
    fprintf(stderr, "%d\n", n);
    assert(n == 5);
    return 0;
}
