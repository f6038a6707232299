// TRUE property=no-overflow model=ILP32 prepare=default define=CASE=0 engines=bmc
// TRUE property=undefined model=LP64 prepare=none define=CASE=0 engines=bmc
// UNKNOWN(UNDEFINED) property=no-overflow engines=bmc model=LP64 prepare=default define=CASE=1
// FALSE(undefined) property=undefined engines=bmc model=ILP32 prepare=none define=CASE=1
// UNKNOWN(UNDEFINED) property=no-overflow engines=bmc model=ILP32 prepare=none define=CASE=2
// FALSE(undefined) property=undefined engines=bmc model=LP64 prepare=default define=CASE=3
// FALSE(undefined) property=undefined engines=bmc model=ILP32 prepare=none define=CASE=4
// UNKNOWN(UNDEFINED) property=shift engines=bmc model=LP64 prepare=default define=CASE=5
// UNKNOWN(UNDEFINED) property=shift engines=bmc model=ILP32 prepare=none define=CASE=6
// UNKNOWN(UNDEFINED) property=no-overflow engines=bmc model=LP64 prepare=none define=CASE=7
// UNKNOWN(UNDEFINED) property=shift engines=bmc model=ILP32 prepare=default define=CASE=7
// TRUE property=no-overflow engines=bmc model=LP64 prepare=none define=CASE=5
// UNKNOWN(UNSUPPORTED) property=undefined engines=bmc model=LP64 prepare=default define=CASE=9
// UNKNOWN(UNSUPPORTED) property=undefined engines=bmc model=ILP32 prepare=none define=CASE=10
// UNKNOWN(UNSUPPORTED) property=no-overflow engines=bmc model=LP64 prepare=none define=CASE=11
// TRUE property=undefined model=LP64 prepare=default define=CASE=12 engines=bmc
// TRUE property=no-overflow model=ILP32 prepare=none define=CASE=13 engines=bmc
// FALSE(undefined) property=undefined engines=bmc model=LP64 prepare=none define=CASE=14
// What clang computes itself without a word of warning: it proves nothing either.
#define LEAST (-2147483647 - 1)
enum { ONE = 1, MINUS = -ONE, HIGH = 1 << 30 };
#if CASE == 1
int object = LEAST / -1;
#elif CASE == 2
static struct { char c; int list[2]; } nested = {1, {2, LEAST % MINUS}};
int object;
#elif CASE == 3
unsigned object = (unsigned)(-3.5 * 2);
#elif CASE == 4
int object = 2 + (int)1e10;
#elif CASE == 9
static struct { char c[8]; } whole;
int object = LEAST / -(int)sizeof whole;
#elif CASE == 11
#define TEN(term) term term term term term term term term term term
int object = LEAST % -1 TEN(TEN(TEN(+1)));
#elif CASE == 12
int object = sizeof(int) == 4 ? 3 : (int)1e10;
int other = sizeof(int) != 4 && (int)1e10;
#elif CASE == 13
#define TEN(text) text text text text text text text text text text
int object;
int nothing_folded(int given) {
    if (given == 3)
        return 0;
    TEN(TEN(TEN(else if (given == 4) return given - 1;)))
    return 1;
}
#elif CASE == 14
int object = sizeof(int) != 4 || (int)1e10;
#else
int object = LEAST / ONE + (int)2147483647.5 - (int)sizeof(long) / MINUS + (int)-2147483648.9 / 2;
#endif
int main(int argc, char **argv) {
    int list[3] = {1, argc > 5 ? argc / -2 : 1, 7 >> ONE};
    switch (argc) {
#if CASE == 5
    case 1 << 33:
        return 1;
#elif CASE == 6
    case 1 >> MINUS:
        return 1;
#endif
    case HIGH + 1:
        return 3;
    }
#if CASE == 10
    if (argc > 5) {
        int unreached[2] = {(int)1e10, 1};
        object = unreached[0];
    }
#elif CASE == 7
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Winteger-overflow"
#pragma GCC diagnostic ignored "-Wshift-count-overflow"
    static int silent[2] = {2147483647 + 1, 1 << 40};
#pragma clang diagnostic pop
    object = silent[0];
#endif
    return list[argc > 3] + (object != 5);
}
