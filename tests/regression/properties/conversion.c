// FALSE(conversion) property=conversion define=TRUNCATED model=ILP32,LP64 prepare=default,none
// FALSE(conversion) property=conversion define=SIGN model=ILP32,LP64 prepare=default,none
// FALSE(conversion) property=conversion define=ASSIGNMENT
// FALSE(conversion) property=conversion define=ARGUMENT
// TRUE property=conversion model=ILP32,LP64 prepare=default,none
// Implicit conversions that change the value of an integer; a cast says that this is meant.
#include <ctype.h>
#include <string.h>
extern int __VERIFIER_nondet_int(void);

static int taken(unsigned char c) { return c; }

int main(void) {
    int n = __VERIFIER_nondet_int();
#if defined(TRUNCATED)
    long long wide = n;
    short narrow = wide + 1;
    return narrow;
#elif defined(SIGN)
    unsigned u = n;
    return u > 5;
#elif defined(ASSIGNMENT)
    char c = 127;
    c += n & 1;
    return c;
#elif defined(ARGUMENT)
    return taken(n & 511);
#else
    char text[4], c = 5;
    unsigned u = (unsigned)n;
    unsigned char low = (unsigned char)n;
    _Bool truth = n;
    float f = (float)n;
    c += n & 3;
    memset(text, 300, sizeof text);   /* the library converts as it likes */
    n = c + low + truth;
    return taken(n & 255) + (u > 5) + (f > 1) + toupper(text[1] & 127);
#endif
}
