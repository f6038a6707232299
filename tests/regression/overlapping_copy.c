// TRUE property=memory-safety model=ILP32,LP64 prepare=default,none
// FALSE(valid-deref) property=memory-safety model=ILP32,LP64 prepare=none,default define=NEAR
// FALSE(valid-deref) property=memory-safety model=ILP32,LP64 prepare=default,none define=UNKNOWN_SIZE
// FALSE(valid-deref) property=memory-safety model=ILP32,LP64 prepare=none,default define=STRUCTURE
// FALSE(valid-deref) property=memory-safety model=ILP32,LP64 prepare=default,none define=STRING
// FALSE(valid-deref) property=memory-safety model=ILP32,LP64 prepare=none,default define=SAME_STRING
// TRUE model=ILP32,LP64 prepare=default,none define=NEAR
#include <assert.h>
#include <stdlib.h>
#include <string.h>
extern unsigned __VERIFIER_nondet_uint(void);
struct part { int values[4]; };
static struct part two[2];
int main(void) {
    char text[16] = "abcdefghijklmno";
    unsigned n = __VERIFIER_nondet_uint();
    struct part own = {{1}}, *here = &own;
    char *block = malloc(16);
    memset(block, 0, 16);
    memcpy(text, text + 4, 4);
    memmove(text, text + 4, 8);
    memcpy(block, text, 16);
    if (n <= 8)
        memcpy(block + 8, block, n);
    *here = two[1];
    *here = *here;
    memcpy(block, block, 3);
    strcpy(text + 8, "xyz");
    strcpy(text, text + 8);
#ifdef NEAR
    memcpy(text, text + 3, 4);
    assert(text[8] == 120);
#elif defined UNKNOWN_SIZE
    if (n <= 9)
        memcpy(block, block + 8 - n / 9, n);
#elif defined STRUCTURE
    *(struct part *)&two[0].values[1] = two[0];
#elif defined STRING
    strcpy(text, text + 1);
#elif defined SAME_STRING
    strcpy(text, text);
#endif
    free(block);
    return 0;
}
