// TRUE
#include <assert.h>
struct flags { unsigned a : 3; int b : 5; unsigned c : 24; unsigned char d; };
int main(void) {
    struct flags f = {0};
    f.a = 9;
    f.b = 17;
    f.c = 0x1234567;
    f.d = 0xee;
    assert(f.a == 1);
    assert(f.b == -15);
    assert(f.c == 0x234567);
    assert(f.d == 0xee);
    f.b++;
    assert(f.a == 1 && f.b == -14);
    return 0;
}
