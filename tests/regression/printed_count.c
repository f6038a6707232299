// TRUE model=ILP32,LP64 prepare=default,none
// UNKNOWN(UNSUPPORTED) timeout=4 define=HANGS
// FALSE(unreach-call) define=DOES_NOT
extern int printf(const char *, ...);
extern void reach_error(void);
int main(void) {
    int n = printf("five\n");
#if defined(HANGS)
    if (n != 5) reach_error();
#elif defined(DOES_NOT)
    int m = 3;
    if (m == 3) reach_error();
#else
    if (n < -1) reach_error();
#endif
    return 0;
}
