// TRUE model=ILP32,LP64 prepare=default,none
// FALSE(unreach-call) model=ILP32,LP64 prepare=none,default malloc_may_fail=yes
// FALSE(unreach-call) model=ILP32,LP64 prepare=default,none malloc_limit=yes define=LARGE
// TRUE model=ILP32,LP64 prepare=none,default malloc_limit=yes
// TRUE malloc_limit=yes engines=houdini
// TRUE model=ILP32,LP64 prepare=default,none malloc_may_fail=yes define=TESTED
// FALSE(unreach-call) model=ILP32,LP64 prepare=none,default malloc_may_fail=yes define=COPIED
// TRUE model=ILP32,LP64 prepare=default,none define=LARGE
// UNKNOWN(EVIDENCE_UNCHECKED) engines=bmc model=ILP32,LP64 prepare=none,default define=LARGE_FAULT
// Every allocation of a representable size succeeds unless the options say otherwise; products that overflow give null.
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
extern void reach_error(void);
int main(void) {
    char *text = "abc";
#ifdef LARGE
    if (!malloc(SIZE_MAX))
        reach_error();
#elif defined LARGE_FAULT
    if (malloc(SIZE_MAX))
        reach_error();
#elif defined TESTED
    char *block = malloc(3);
    if (!block && errno != ENOMEM)
        reach_error();
    char *other = realloc(block, 9);
    free(other ? other : block);
#elif defined COPIED
    if (!strdup(text))
        reach_error();
#else
    if (!malloc(1) || !calloc(1, 2) || !strdup(text))
        reach_error();
    void *aligned = 0;
    if (posix_memalign(&aligned, 3, 8) != EINVAL || aligned || aligned_alloc(3, 8))
        reach_error();
    if (posix_memalign(&aligned, 16, 8) || !aligned)
        reach_error();
#endif
    if (calloc(SIZE_MAX / 2, 3) || reallocarray(0, SIZE_MAX / 2, 3))
        reach_error();
    return 0;
}
