// FALSE(valid-deref) property=memory-safety model=ILP32,LP64 prepare=none,default define=BUG
// TRUE property=memory-safety model=ILP32,LP64 prepare=default,none
#include <stdlib.h>
struct node { int value; char *at; };
char a[8], b[8];
char *kept;
static char *same(char *p) { return p; }
int main(void) {
    long d = (long)b - (long)a;
    char *local = a + d, **slot = &local;
    kept = *slot;
    struct node *heap = malloc(sizeof *heap), copied;
    heap->at = same(kept);
    copied = *heap;
#ifdef BUG
    copied.at[1] = 2;
#else
    copied.at[1 - d] = 2;
#endif
    free(heap);
    return 0;
}
