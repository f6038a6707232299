// FALSE(valid-deref) property=memory-safety model=ILP32,LP64 prepare=none,default define=BUG
// TRUE property=memory-safety model=ILP32,LP64 prepare=default,none
// The distance of two objects leads out of the first, wherever it leads to.
int main(void) {
    char a[4], b[4];
    b[0] = 0;
    long d = (long)b - (long)a;
#ifdef BUG
    a[d] = 1;
#else
    *(a + d - d) = 1;
    *(char *)((long)a + d) = 1;
#endif
    return 0;
}
