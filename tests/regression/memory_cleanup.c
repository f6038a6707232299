// FALSE(valid-memcleanup) property=valid-memcleanup
#include <stdlib.h>
static char *kept;
int main(void) {
    kept = malloc(3);
    return 0;
}
