// UNKNOWN(UNSUPPORTED) property=memory-safety model=ILP32,LP64 prepare=default,none engines=bmc
// UNKNOWN(UNSUPPORTED) model=ILP32,LP64 prepare=default,none engines=bmc define=COMPARED
// UNKNOWN(UNSUPPORTED) property=memory-safety model=ILP32,LP64 prepare=default,none engines=bmc define=HEAP
// UNKNOWN(UNSUPPORTED) property=memory-safety model=ILP32,LP64 prepare=none,default engines=bmc define=CLEARED
// TRUE property=memory-safety model=ILP32,LP64 prepare=default,none define=WHOLE
// FALSE(valid-deref) property=memory-safety model=ILP32,LP64 prepare=none,default define=WHOLE,BEHIND
// A pointer put together from parts of two may be any of their objects' address: that hangs on where these lie.
#include <stdlib.h>
#include <string.h>
extern void reach_error(void);
int x, y[2];
int main(void) {
    int *p = &x, *q = y;
#ifdef WHOLE
    memcpy(&p, &q, 2);
    memmove((char *)&p + 2, (char *)&q + 2, sizeof p - 2);
    p[1] = 5;
#ifdef BEHIND
    p[2] = 5;
#endif
#elif defined HEAP
    int *h = malloc(4), *g = malloc(4), *o = h;
    memmove(&o, &g, 3);
    free(o);
    free(o == h ? g : h);
#elif defined CLEARED
    memset(&p, 0, 2);
    *p = 1;
#elif defined COMPARED
    memcpy((char *)&p + 2, (char *)&q + 2, sizeof p - 2);
    if (p != &x && p != y)
        reach_error();
#else
    memcpy(&p, &q, 2);
    *p = 1;
#endif
    return 0;
}
