// TRUE or UNKNOWN model=LP64,ILP32 prepare=default,none
// FALSE(unreach-call) or UNKNOWN define=BUG
/* A structure that is aligned beyond a word is in registers or on the stack: where is the caller's choice. */
#include <assert.h>
#include <stdarg.h>
struct wide { __attribute__((aligned(16))) long long low; long long high; };
static long long total(int count, ...) {
    va_list list;
    long long result = 0;
    va_start(list, count);
    for (int i = 0; i < count; i++) {
        result += va_arg(list, int);
        struct wide w = va_arg(list, struct wide);
        result += w.low * w.high;
    }
    va_end(list);
    return result;
}
int main(void) {
    struct wide a = {2, 3}, b = {4, 5};
    long long wanted = 7 + 6 + 8 + 20;
#ifdef BUG
    wanted++;
#endif
    assert(total(2, 7, a, 8, b) == wanted);
    return 0;
}
