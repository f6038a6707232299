// TRUE model=LP64,ILP32 prepare=default,none
// TRUE property=memory-safety
// FALSE(valid-deref) property=memory-safety define=BEYOND
#include <assert.h>
int main(void) {
    _Alignas(16) char buffer[32] = {0};
    char *down = __builtin_align_down(buffer + 13, 8), *up = __builtin_align_up(buffer + 13, 8);
    assert(down == buffer + 8 && up == buffer + 16);
    *up = 1;
    assert(buffer[16] == 1 && __builtin_is_aligned(up, 16));
#ifdef BEYOND
    *(char *)__builtin_align_up(buffer + 17, 16) = 1;
#endif
    return 0;
}
