// FALSE(valid-deref) property=memory-safety model=ILP32,LP64 prepare=none,default define=BUG
// TRUE property=memory-safety model=ILP32,LP64 prepare=default,none
#include <stdint.h>
int main(void) {
    char buffer[64];
    uintptr_t n = ((uintptr_t)buffer + 15) & ~(uintptr_t)15;
    int *p = (int *)n;
    p[11] = 1;
#ifdef BUG
    p[16] = 1;
#endif
    return 0;
}
