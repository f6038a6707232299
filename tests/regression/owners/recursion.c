// FALSE(valid-deref) property=memory-safety model=ILP32,LP64 prepare=none,default define=BUG
// TRUE property=memory-safety model=ILP32,LP64 prepare=default,none
static void walk(char *p, long d, int n) {
    if (n == 0) {
#ifdef BUG
        *p = 1;
#else
        *(p - d) = 1;
#endif
        return;
    }
    walk(p, d, n - 1);
}
int main(void) {
    char a[4], b[4];
    long d = b - a;
    walk(a + d, d, 3);
    return 0;
}
