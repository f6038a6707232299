// FALSE(valid-memtrack) property=memory-safety
#include <stdlib.h>
int main(void) {
    char *p = malloc(3);
    p = malloc(4);
    free(p);
    return 0;
}
