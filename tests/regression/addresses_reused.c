// TRUE model=ILP32,LP64 prepare=default,none
// UNKNOWN(UNSUPPORTED) engines=bmc model=ILP32,LP64 prepare=default,none addresses=reused
// UNKNOWN(UNSUPPORTED) engines=bmc model=ILP32,LP64 prepare=default,none addresses=reused define=LOCALS
// UNKNOWN(UNSUPPORTED) engines=bmc model=ILP32,LP64 prepare=default,none addresses=reused define=DISTANCE
// UNKNOWN(UNSUPPORTED) engines=bmc model=ILP32,LP64 prepare=default,none addresses=reused define=NUMBER
// TRUE model=ILP32,LP64 prepare=default,none addresses=reused define=LIVE
// TRUE model=ILP32,LP64 prepare=default,none addresses=reused define=EITHER
// FALSE(unreach-call) model=ILP32,LP64 prepare=default,none addresses=reused define=LIVE,WRONG
// FALSE(valid-deref) model=ILP32,LP64 prepare=default,none addresses=reused define=LIVE,DEAD property=memory-safety
/* Where addresses may be used again, what a dead pointer is equal to is open; of living objects all is as ever. */
extern void *malloc(__SIZE_TYPE__);
extern void free(void *);
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int table[3];
int main(void) {
    int *p = malloc(sizeof(int)), *q;
#ifdef LIVE
    int *end = table + 3, count = 0;
    for (int *at = table; at != end; at++) count++;
    if (end - table != count) reach_error();
    q = malloc(sizeof(int));
    if (p == q || p == table || !p) reach_error();
    if (q == table || q - q != 0) reach_error();
# ifdef WRONG
    if (count == 3) reach_error();
# endif
    free(p);
    if (q == table || p == 0 || q - q != 0) reach_error();
    free(q);
# ifdef DEAD
    if (__VERIFIER_nondet_int()) *q = *p;
# endif
#elif defined EITHER
    *p = 1;
    free(p);
    q = malloc(sizeof(int));
    *q = 2;
    if (p == q) *q = 3;
    if (*q != 2 && *q != 3) reach_error();
    free(q);
#elif defined LOCALS
    int *kept[2];
    for (int i = 0; i < 2; i++) { int here = i; kept[i] = &here; }
    if (kept[0] == kept[1]) reach_error();
#elif defined DISTANCE
    free(p);
    q = malloc(sizeof(int));
    if (q - p == 0) reach_error();
#elif defined NUMBER
    __UINTPTR_TYPE__ number = (__UINTPTR_TYPE__)p;
    free(p);
    q = malloc(sizeof(int));
    if ((__UINTPTR_TYPE__)q == number) reach_error();
#else
    free(p);
    q = malloc(sizeof(int));
    if (p == q) reach_error();
#endif
    return 0;
}
