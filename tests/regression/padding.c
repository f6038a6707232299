// TRUE model=ILP32,LP64 prepare=default,none engines=bmc
// FALSE(unreach-call) model=LP64 prepare=default define=UNSET engines=bmc
// Padding bytes keep what they hold (listed in the result): assignments copy them, stores to members leave them.
#include <string.h>
extern void reach_error(void);
struct padded { char c; int x; short s; };
struct inside { char c; int x; };
static struct inside same(struct inside given) { return given; }
int main(void) {
    struct padded one, other;
#ifndef UNSET
    memset(&one, 0x55, sizeof one);
#endif
    memset(&other, 0x55, sizeof other);
    one.c = other.c = 1;
    one.x = other.x = 2;
    one.s = other.s = 3;
    struct padded copy = one;
    if (memcmp(&copy, &other, sizeof copy) || ((unsigned char *)&copy)[1] != 0x55)
        reach_error();
    struct inside first, second;
    memset(&first, 0x55, sizeof first);
    second = same(first);
    if (memcmp(&first, &second, sizeof first))
        reach_error();
    return 0;
}
