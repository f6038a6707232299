// TRUE property=no-overflow model=ILP32 prepare=default define=CASE=0 engines=bmc
// TRUE property=shift model=LP64 prepare=none define=CASE=0 engines=bmc
// UNKNOWN(UNDEFINED) property=no-overflow engines=bmc model=LP64 prepare=default define=CASE=1
// UNKNOWN(UNDEFINED) property=shift engines=bmc model=ILP32 prepare=none define=CASE=2
// UNKNOWN(UNDEFINED) property=no-overflow engines=bmc model=ILP32 prepare=none define=CASE=3
// UNKNOWN(UNDEFINED) property=no-overflow engines=bmc model=LP64 prepare=default define=CASE=4
// UNKNOWN(UNDEFINED) property=shift engines=bmc model=LP64 prepare=none define=CASE=5
// FALSE(no-overflow) property=no-overflow model=ILP32 prepare=default define=CASE=6 engines=bmc
// FALSE(shift) property=shift model=LP64 prepare=none define=CASE=7 engines=bmc
// TRUE property=no-overflow model=LP64 prepare=none define=CASE=2 engines=bmc
// What clang computes itself has no test in the program: a constant expression without a value proves nothing.
#define HIGH(x) ((x) + 2147483646)
#if CASE == 1
int object = 2147483647 + 1;
#elif CASE == 2
int object = 1 << 40;
#elif CASE == 3
enum { object = 3 << 31 };
#else
int object = (1 << 30) + HIGH(-1073741824);
#endif

int main(int argc, char **argv) {
    int list[3] = {
        1,
#if CASE == 4
        HIGH(2),
#elif CASE == 5
        -1 << 3,
#endif
    };
#if CASE == 6
    if (argc == 5) return HIGH(2) > 0;
#elif CASE == 7
    if (argc == 5 && (1 << -1)) return 1;
#endif
    return list[argc > 3] + (object != 5);
}
