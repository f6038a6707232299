// TRUE model=ILP32,LP64 prepare=default,none
// FALSE(unreach-call) model=LP64 prepare=default define=BUG=1
// FALSE(unreach-call) model=ILP32 prepare=none define=BUG=2
// FALSE(unreach-call) model=LP64 prepare=none define=BUG=3
// FALSE(unreach-call) model=ILP32 prepare=default define=BUG=4
// FALSE(unreach-call) model=LP64 prepare=default define=BUG=5
// FALSE(unreach-call) model=ILP32 prepare=none define=BUG=6
// FALSE(unreach-call) model=LP64 prepare=none define=BUG=7
// FALSE(unreach-call) model=ILP32 prepare=default define=BUG=8
// FALSE(unreach-call) model=LP64 prepare=none define=BUG=9
// The sign of a NaN is seen wherever its bytes are read, by whatever way they got there; copies keep them.
#include <stdlib.h>
#include <string.h>
extern void reach_error(void);
union both { double d; unsigned char bytes[8]; };
struct tagged { int tag; union both value; };
struct measured { double value; unsigned part[2]; };
typedef double pair __attribute__((vector_size(16)));
typedef long long whole __attribute__((vector_size(16)));
static double table[2];
static unsigned char last(const unsigned char *bytes, int count) { return bytes[count - 1]; }
static int negative(const void *where) { return last(where, 8) >> 7; }
int main(void) {
    double z = 0;
    float f = 0;
#if BUG == 1
    double a[3] = {0};
    long long words[3];
    a[1] = z / z;
    memcpy(words, a, sizeof a);
    if (words[1] < 0) reach_error();
#elif BUG == 2
    struct tagged it = {1};
    it.value.d = z / z;
    if (it.value.bytes[7] >> 7) reach_error();
#elif BUG == 3
    struct measured it;
    it.value = z / z;
    if (!negative(&it)) reach_error();
#elif BUG == 4
    double *p = malloc(2 * sizeof *p);
    p[1] = z / z;
    if (negative(p + 1)) reach_error();
    free(p);
#elif BUG == 5
    table[0] = z / z;
    table[1] = z / z;
    if (memcmp(&table[0], &table[1], 8)) reach_error();
#elif BUG == 6
    float a[2] = {f / f, 1};
    int words[2];
    memmove(words, a, sizeof a);
    if (words[0] < 0) reach_error();
#elif BUG == 7
    if (__builtin_signbit(z / z)) reach_error();
#elif BUG == 8
    pair lanes = {1, 0};
    lanes = (lanes - 1) / (lanes - lanes);
    if (((whole) lanes)[0] < 0) reach_error();
#elif BUG == 9
    float narrow = (float) (z / z);
    int (*look)(const void *) = negative;
    double wide = narrow;
    if (look(&wide)) reach_error();
#else
    struct measured it = {z / z, {1, 2}}, copy = it;
    double *p = malloc(sizeof *p);
    *p = it.value;
    if (memcmp(&copy.value, p, 8) || negative(p) != negative(&it)) reach_error();
    copy.value = -copy.value;
    if (negative(&copy) == negative(p)) reach_error();
    copy.value = __builtin_fabs(copy.value);
    if (negative(&copy) || copy.value == copy.value || !(*p != *p)) reach_error();
    pair lanes = {z / z, 1}, opposite = -lanes;
    if ((((whole) lanes)[0] ^ ((whole) opposite)[0]) != (long long) (1ULL << 63)) reach_error();
    free(p);
#endif
    return 0;
}
