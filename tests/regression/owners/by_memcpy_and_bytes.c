// FALSE(valid-deref) property=memory-safety model=ILP32,LP64 prepare=none,default define=BUG
// TRUE property=memory-safety model=ILP32,LP64 prepare=default,none
#include <string.h>
char a[8], b[8];
int main(void) {
    long d = (long)b - (long)a;
    char *p = a + d, *q, *r;
    memcpy(&q, &p, sizeof p);
    unsigned char *from = (unsigned char *)&q, *to = (unsigned char *)&r;
    for (unsigned i = 0; i < sizeof p; i++)
        to[i] = from[i];
#ifdef BUG
    *r = 1;
#else
    *(r - d) = 1;
#endif
    return 0;
}
