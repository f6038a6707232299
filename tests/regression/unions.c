// TRUE
#include <assert.h>
union word { unsigned u; unsigned char byte[4]; float f; };
int main(void) {
    union word w;
    w.u = 0x01020304;
    assert(w.byte[0] == 4 && w.byte[3] == 1);
    w.f = 1.0f;
    assert(w.u == 0x3f800000u);
    w.byte[3] |= 0x80;
    assert(w.f == -1.0f);
    return 0;
}
