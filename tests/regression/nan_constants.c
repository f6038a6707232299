// TRUE model=ILP32,LP64 prepare=default,none
// FALSE(unreach-call) model=LP64 prepare=none define=BUG=1
// FALSE(unreach-call) model=ILP32 prepare=default define=BUG=2
// FALSE(unreach-call) model=LP64 prepare=default define=BUG=3
// A NaN that is a constant, in code or in an initialiser, has the payload that is written; copies keep it.
#include <string.h>
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
struct mixed { double d; float f; };
static double wide = __builtin_nan("0x123");
static float narrow = __builtin_nanf("0x77");
static struct mixed both = {__builtin_nan("0x5"), __builtin_nanf("0x6")};
static unsigned long long bits(double d) { unsigned long long u; memcpy(&u, &d, 8); return u; }
static unsigned narrow_bits(float f) { unsigned u; memcpy(&u, &f, 4); return u; }
int main(void) {
    double c = __builtin_nan("0x123"), same = c, a[2] = {c, wide};
    struct mixed copy = both;
    double chosen = __VERIFIER_nondet_int() ? c : copy.d;
    float read = narrow;
#if BUG == 1
    if (bits(chosen) == 0x7ff8000000000005ULL) reach_error();
#elif BUG == 2
    if (narrow_bits(read) == 0x7fc00077) reach_error();
#elif BUG == 3
    if (*(unsigned char *) &a[1] == 0x23) reach_error();
#else
    if (bits(c) != 0x7ff8000000000123ULL || bits(same) != bits(c) || bits(a[0]) != bits(c) || bits(a[1]) != bits(c)) reach_error();
    if (bits(copy.d) != 0x7ff8000000000005ULL || narrow_bits(copy.f) != 0x7fc00006) reach_error();
    if (bits(chosen) != bits(c) && bits(chosen) != bits(both.d)) reach_error();
    if (bits(-c) != (bits(c) | 1ULL << 63) || bits(__builtin_fabs(-c)) != bits(c) || same == same) reach_error();
#endif
    return 0;
}
