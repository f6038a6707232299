// TRUE model=ILP32,LP64 prepare=default,none
// TRUE property=memory-safety
// FALSE(valid-deref) property=memory-safety define=BEYOND
extern void *alloca(__SIZE_TYPE__);
extern void reach_error(void);
static int sum(int n) {
    int *a = alloca(n * sizeof(int)), total = 0;
    for (int i = 0; i < n; i++)
        a[i] = i;
#ifdef BEYOND
    a[n] = 1;
#endif
    for (int i = 0; i < n; i++)
        total += a[i];
    return total;
}
int main(void) {
    if (sum(4) != 6 || sum(1) != 0)
        reach_error();
    return 0;
}
