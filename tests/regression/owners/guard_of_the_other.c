// FALSE(valid-deref) property=memory-safety model=ILP32,LP64 prepare=none,default define=BUG
// TRUE property=memory-safety model=ILP32,LP64 prepare=default,none
// p == q does not make p as good as q.
int main(void) {
    char a[4], b[4];
    char *p = a + 4, *q = b;
    long k = (long)q - (long)p;
    p += k;
    if (p == q) {
#ifdef BUG
        *p = 1;
#else
        *q = 1;
#endif
    }
    return 0;
}
