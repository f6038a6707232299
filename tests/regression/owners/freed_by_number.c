// FALSE(valid-deref) property=memory-safety model=ILP32,LP64 prepare=none,default define=BUG
// TRUE property=memory-safety model=ILP32,LP64 prepare=default,none
#include <stdlib.h>
int main(void) {
    int *p = malloc(4);
    unsigned long n = (unsigned long)p;
    *(int *)n = 1;
    free(p);
#ifdef BUG
    *(int *)n = 1;
#endif
    return 0;
}
