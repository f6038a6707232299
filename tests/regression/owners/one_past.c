// FALSE(valid-deref) property=memory-safety model=ILP32,LP64 prepare=none,default define=BUG
// TRUE property=memory-safety model=ILP32,LP64 prepare=default,none
int main(void) {
    char a[4];
    long end = (long)a + 4;
    char *p = (char *)end;
#ifdef BUG
    *p = 1;
#else
    p[-1] = 1;
#endif
    return 0;
}
