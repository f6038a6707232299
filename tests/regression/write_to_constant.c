// TRUE property=memory-safety model=ILP32,LP64 prepare=default,none
// FALSE(valid-deref) property=memory-safety model=ILP32,LP64 prepare=none,default define=TABLE
// FALSE(valid-deref) property=memory-safety model=ILP32,LP64 prepare=default,none define=SAME_VALUE
// FALSE(valid-deref) property=memory-safety model=ILP32,LP64 prepare=none,default define=LIBRARY
// FALSE(valid-deref) property=memory-safety model=ILP32,LP64 prepare=default,none define=TOKENS
// FALSE(valid-deref) property=memory-safety model=ILP32,LP64 prepare=none,default define=FILL
// FALSE(valid-deref) property=memory-safety model=ILP32,LP64 prepare=default,none define=STATIC_LOCAL
// TRUE model=ILP32,LP64 prepare=default,none
// TRUE model=ILP32,LP64 prepare=none,default define=TABLE
// TRUE model=ILP32,LP64 prepare=default,none define=SAME_VALUE
// TRUE model=ILP32,LP64 prepare=none,default define=STATIC_LOCAL
// String literals and objects that are defined const cannot be written; where that is not asked for, such a
// write changes nothing.
#include <ctype.h>
#include <string.h>
extern void reach_error(void);
static const char *const names[2] = {"one", "two"};
const struct { int first; int rest[3]; } numbers = {1, {2, 3, 4}};
static void upper(char *text) {
    for (; *text; text++)
        *text = toupper(*text);
}
static int counted(void) {
    static const int count[2] = {3, 4};
#ifdef STATIC_LOCAL
    ((int *)count)[1]++;
#endif
    return count[1];
}
int main(void) {
    char copy[8];
    strcpy(copy, names[1]);
    upper(copy);
    memcpy(copy + 4, &numbers.first, 4);
    char *text = "hello";
#ifdef TABLE
    ((const char **)names)[1] = copy;
#elif defined SAME_VALUE
    text[0] = text[0];
#elif defined LIBRARY
    strcat(text, "!");
#elif defined TOKENS
    strtok("a b", " ");
#elif defined FILL
    memset((void *)&numbers.rest[1], 0, 4);
#endif
    if (copy[0] != 'T' || names[1][0] != 't' || text[0] != 'h' || counted() != 4)
        reach_error();
    return 0;
}
