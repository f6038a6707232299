// UNKNOWN(UNSUPPORTED) engines=bmc model=LP64 prepare=default define=CASE=1
// UNKNOWN(UNDEFINED) property=no-overflow engines=bmc model=ILP32 prepare=none define=CASE=2
// UNKNOWN(UNDEFINED) property=shift engines=bmc model=LP64 prepare=default define=CASE=3
// TRUE property=no-overflow engines=bmc model=LP64 prepare=none define=CASE=4
// TRUE engines=bmc model=ILP32 prepare=default define=CASE=5
// What clang says of a program is read, also where a pragma keeps it from saying it.
extern void reach_error(void);
#define QUIET(group, declaration) \
    _Pragma("GCC diagnostic push") _Pragma(group) declaration _Pragma("GCC diagnostic pop")
#if CASE == 1
#pragma GCC diagnostic ignored "-Wattributes"
struct __attribute__((scalar_storage_order("big-endian"))) pair { int x; };
int list[3];
#elif CASE == 2
QUIET("clang diagnostic ignored \"-Weverything\"", static int list[2147483647 + 1 < 0 ? 3 : 5];)
#elif CASE == 3
#pragma clang diagnostic ignored "-Weverything"
static int list[(1 << 33 ? 1 : 2) + 3];
#else
#pragma GCC diagnostic ignored "-Wcast-qual"
QUIET("GCC diagnostic ignored \"-Wall\"", static int list[1 << 3];)
#endif
int main(void) {
#if CASE == 5
#pragma GCC diagnostic ignored "-Wimplicit-function-declaration"
    char word[3] = "ab";
    if (strlen(word) != 2)
        reach_error();
#elif CASE == 1
    struct pair pair = {1};
    if (*(char *)&pair)
        reach_error();
#endif
    return list[sizeof list > 12];
}
