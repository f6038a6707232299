// UNKNOWN(UNSUPPORTED) model=ILP32,LP64 prepare=default,none engines=houdini timeout=10 define=LOW
// UNKNOWN model=LP64,ILP32 prepare=default,none engines=houdini timeout=5 define=ORDER
// UNKNOWN model=ILP32,LP64 prepare=default,none engines=houdini timeout=10 define=PUNNED
// UNKNOWN model=ILP32,LP64 prepare=default,none engines=houdini timeout=10 define=TAGGED
// UNKNOWN model=ILP32,LP64 prepare=default,none engines=houdini timeout=10 define=HASHED
// TRUE model=ILP32,LP64 prepare=none,default engines=houdini define=ALIGNED
// TRUE model=LP64,ILP32 prepare=default,none engines=houdini define=WITHIN
// Proofs about loops put objects one behind another at multiples of 16, which C does not.
#include <stdint.h>
#include <stdlib.h>
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
char odd[3];
long words[4];
union { char *pointer; uintptr_t number; } pun;
int main(void) {
    char *p = odd, *end = odd + 3, *later;
    int n = 0;
    while (__VERIFIER_nondet_int())
        n ^= 1;
    pun.pointer = p;
    while (__VERIFIER_nondet_int())
        n ^= 1;
    later = malloc(1);
#ifdef LOW
    if (((uintptr_t)p & 15) != 0)
        reach_error();
#elif defined PUNNED
    if ((pun.number & 15) != 0)
        reach_error();
#elif defined TAGGED
    if ((char *)(((uintptr_t)p | 1) - 1) != p)
        reach_error();
#elif defined HASHED
    if (((uintptr_t)p >> 4) % 8 == ((uintptr_t)words >> 4) % 8)
        reach_error();
#elif defined ORDER
    if (later < p)
        reach_error();
#elif defined ALIGNED
    if (((uintptr_t)(words + n) & (sizeof(long) - 1)) != 0 || ((uintptr_t)later & 7) != 0)
        reach_error();
#elif defined WITHIN
    while (p < end)
        p++;
    if (p != odd + 3 || (p - odd) % 4 != 3)
        reach_error();
#endif
    free(later);
    return 0;
}
