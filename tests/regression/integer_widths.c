// TRUE model=ILP32,LP64
#include <assert.h>
int main(void) {
    unsigned char c = 255;
    signed char s = -1;
    unsigned short h = 65535;
    c++;
    h++;
    assert(c == 0 && h == 0);
    assert((unsigned)s == 0xffffffffu);
    assert((unsigned short)s == 65535);
    assert(sizeof(long long) == 8);
    long long big = 1LL << 40;
    assert((int)big == 0 && big >> 38 == 4);
    unsigned u = 0;
    assert(u - 1 > 0);
    assert(-1 > 0u);
    return 0;
}
