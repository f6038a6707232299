// TRUE model=ILP32,LP64 prepare=default,none
// FALSE(unreach-call) model=ILP32,LP64 prepare=none,default define=BUG=1
// FALSE(unreach-call) model=ILP32,LP64 prepare=default,none define=BUG=2
// FALSE(unreach-call) model=ILP32,LP64 prepare=none,default define=BUG=3
// A NaN's sign and payload are chosen once, by the operation that gives it; copies keep them.
#include <string.h>
extern void reach_error(void);
static unsigned long long bits(double d) { unsigned long long u; memcpy(&u, &d, 8); return u; }
int main(void) {
    double z = 0, n = z / z, copy = n, other = z / z;
#if BUG == 1
    if (bits(n) >> 63) reach_error();
#elif BUG == 2
    if (!(bits(n) >> 63)) reach_error();
#elif BUG == 3
    if (bits(n) != bits(other)) reach_error();
#else
    if (bits(copy) != bits(n) || memcmp(&copy, &n, 8) || bits(-n) != (bits(n) ^ 1ULL << 63) || n == n) reach_error();
    if (bits(n) << 1 >> 52 != 0xfff) reach_error();
#endif
    return 0;
}
