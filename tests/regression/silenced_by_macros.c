// TRUE engines=bmc model=LP64 prepare=default define=CASE=1
// TRUE property=memory-safety engines=bmc model=LP64 prepare=none define=CASE=2
// What clang says of a program is read, also where macros put together the pragma that keeps it from saying it: no line
// of this file has one.
extern void reach_error(void);
#define TEXT(x) #x
#define IGNORED(group) _Pragma(TEXT(GCC diagnostic ignored group))
#if CASE == 1
IGNORED("-Wimplicit-function-declaration")
int main(void) {
    if (sizeof(strlen("ab")) != sizeof(sizeof 1))
        reach_error();
}
#else
IGNORED("-Wevery" "thing")
static int *same(int *x) { return x; }
int main(void) {
    const int fixed = 1;
    __typeof_unqual__(fixed) open = 1;
    ++*same(&open);
}
#endif
