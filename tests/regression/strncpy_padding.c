// FALSE(valid-deref) property=memory-safety model=LP64,ILP32 prepare=default,none
#include <string.h>

int main(void) {
    char b[16]="abc";
    strncpy(b+0, b+8, 12);
    return 0;
}
