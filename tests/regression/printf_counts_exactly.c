// TRUE
#include <stdio.h>
extern void reach_error(void);

int main(void) {
    char text[8];
    int written = -7;
    sprintf(text, "ab%nc", &written);
    if (written != 2 || text[2] != 'c') reach_error();
    return 0;
}
