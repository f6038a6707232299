// FALSE(valid-deref) property=memory-safety model=ILP32,LP64 prepare=none,default define=BUG
// TRUE property=memory-safety model=ILP32,LP64 prepare=default,none
#include <stdint.h>
int main(void) {
    int x, y, *table[8] = {0};
    unsigned h = ((uintptr_t)&x >> 4) % 8;
    table[h] = &x;
    table[(h + 1) % 8] = &y;
    *table[h] = 1;
#ifdef BUG
    *table[(h + 2) % 8] = 1;
#endif
    return x - 1;
}
