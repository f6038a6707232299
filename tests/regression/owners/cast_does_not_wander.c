// FALSE(valid-deref) property=memory-safety model=ILP32,LP64 prepare=none,default define=BUG
// TRUE property=memory-safety model=ILP32,LP64 prepare=default,none
// A pointer made from an integer belongs to what it points into, and does not wander from there.
int main(void) {
    char a[4], b[4];
    long d = (long)b - (long)a;
    char *p = (char *)((long)a + 4);
    p -= 4;
    *p = 1;
#ifdef BUG
    p[d] = 1;
#endif
    p = (char *)((long)a + 2);
    p[1] = 1;
    return 0;
}
