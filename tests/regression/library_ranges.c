// FALSE(valid-deref) property=memory-safety define=COMPARED model=LP64,ILP32 prepare=default,none
// FALSE(valid-deref) property=memory-safety define=COMPARED_WIDE model=ILP32,LP64 prepare=none,default
// FALSE(valid-deref) property=memory-safety define=SORTED model=LP64,ILP32 prepare=default,none
// FALSE(no-overflow) property=no-overflow define=FOUND model=LP64 prepare=none,default
// FALSE(no-overflow) property=no-overflow define=SUBTRACTED model=LP64 prepare=default,none
// TRUE property=memory-safety define=RIGHT model=LP64,ILP32 prepare=default,none
// Both arrays of memcmp have all of its bytes, also behind a difference; which elements are compared, in which
// order, is the library's choice.
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

static int difference(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

static int order(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static int order_by_next(const void *a, const void *b) {
    int x = ((const int *)a)[1], y = *(const int *)b;
    return (x > y) - (x < y);
}

int main(void) {
#if defined COMPARED
    char a[3] = "ab", b[3] = "xb";
    return memcmp(a, b, 4) > 0;
#elif defined COMPARED_WIDE
    wchar_t a[3] = L"ab", b[3] = L"xb";
    return wmemcmp(a, b, 4) > 0;
#elif defined SORTED
    int a[3] = {3, 2, 1};
    qsort(a, 3, sizeof *a, order_by_next);
    return a[0];
#elif defined FOUND
    int a[3] = {INT_MIN, 0, 1}, key = 1;
    return bsearch(&key, a, 3, sizeof *a, difference) != 0;
#elif defined SUBTRACTED
    int a[3] = {INT_MIN, 0, 1};
    qsort(a, 3, sizeof *a, difference);
    return 0;
#else
    char a[3] = "ab", b[3] = "xb";
    int n[3] = {3, 1, 2}, key = 2;
    qsort(n, 3, sizeof *n, order);
    return memcmp(a, b, 3) < 0 && bsearch(&key, n, 3, sizeof *n, order) == n + 1;
#endif
}
