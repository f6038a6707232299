// FALSE(valid-deref) property=memory-safety model=ILP32,LP64 prepare=none,default define=BUG
// TRUE property=memory-safety model=ILP32,LP64 prepare=default,none
#include <string.h>
union word { char *p; unsigned char bytes[sizeof(char *)]; };
static union word give(union word w) { return w; }
char a[8], b[8];
int main(void) {
    long d = b - a;
    union word u, v;
    u.p = a + d;
    for (unsigned i = 0; i < sizeof u; i++)
        v.bytes[i] = u.bytes[i];
    v = give(v);
#ifdef BUG
    v.p[0] = 1;
#else
    v.p[-d] = 1;
#endif
    return 0;
}
