// TRUE model=ILP32,LP64 prepare=default,none
// TRUE property=memory-safety
/* What IR calls its globals and constants are names like any other in C. */
#include <assert.h>
#include <stdarg.h>
struct pair { int first; int *second; };
static int one = 1;
struct pair global = {0, &one}, constant[2] = {{1, &one}, {2, 0}};
va_list define;
static void sum(int count, ...) {
    va_start(define, count);
    for (int i = 0; i < count; i++)
        assert(va_arg(define, int) == i);
    va_end(define);
}
int main(void) {
    assert(global.second == &one && *global.second == 1);
    assert(*constant[0].second == 1 && constant[1].first == 2);
    sum(3, 0, 1, 2);
    return 0;
}
