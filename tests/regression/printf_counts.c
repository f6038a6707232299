// UNKNOWN(UNSUPPORTED) engines=bmc
#include <stdio.h>
extern void reach_error(void);

int main(void) {
    int written = 0;
    printf("four%n\n", &written);
    if (written == 4) reach_error();
    return 0;
}
