// FALSE(valid-deref) property=memory-safety model=ILP32,LP64 prepare=none,default define=BUG
// TRUE property=memory-safety model=ILP32,LP64 prepare=default,none
int x, y;
int main(void) {
    long d = &y - &x;
#ifdef BUG
    *(&x + d) = 1;
#else
    int *p = &x + d;
    if (p == &y)
        p -= d;
    else
        p = &y;
    *p = 1;
#endif
    return 0;
}
