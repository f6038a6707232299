// FALSE(valid-deref) property=memory-safety model=ILP32,LP64 prepare=none,default define=BUG
// TRUE property=memory-safety model=ILP32,LP64 prepare=default,none
#include <stdint.h>
#include <stdlib.h>
int main(void) {
    int *p = malloc(sizeof(int));
    uintptr_t tagged = (uintptr_t)p | 1;
    *(int *)(tagged & ~(uintptr_t)1) = 7;
    *(int *)(tagged - 1) = 8;
#ifdef BUG
    *(int *)tagged = 9;
#endif
    free((void *)(tagged & ~(uintptr_t)3));
    return 0;
}
