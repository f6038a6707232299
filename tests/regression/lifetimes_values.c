// FALSE(unreach-call) model=ILP32,LP64 prepare=default,none define=OLD_OBJECT
// FALSE(unreach-call) model=ILP32,LP64 prepare=default,none define=NEW_OBJECT
// FALSE(unreach-call) model=ILP32,LP64 prepare=default,none define=PARAMETER
// FALSE(unreach-call) model=ILP32,LP64 prepare=default,none define=STRUCTURE
// FALSE(unreach-call) model=ILP32,LP64 prepare=default,none define=PASSED_OVER
// FALSE(unreach-call) model=ILP32,LP64 prepare=default,none define=AGAIN
// FALSE(unreach-call) model=ILP32,LP64 prepare=default,none define=DEAD_CELL
// FALSE(unreach-call) model=ILP32,LP64 prepare=default,none define=LITERAL
// TRUE model=ILP32,LP64 prepare=default,none define=WRITES_NOWHERE
// TRUE model=ILP32,LP64 prepare=default,none define=SAME_LITERAL
// TRUE model=ILP32,LP64 prepare=default,none define=BACK
/* What programs read and write through pointers to dead locals where this is not the property. */
extern void reach_error(void);
#define CHECK(condition) do { if (!(condition)) reach_error(); } while (0)
struct triple { int a[3]; };
static int *kept;
static int parameter(int n) {
    if (n) return *kept;
    kept = &n;
    return 0;
}
static int structure(struct triple s, int n) {
    if (n) return *kept;
    kept = s.a;
    return 0;
}
int main(void) {
    int *p = 0, *q = 0, r = 1, n = 0;
#ifdef OLD_OBJECT
    for (int i = 0; i < 2; i++) { int x = i; if (i) r = *p; p = &x; }
    CHECK(r == 0);
#elif defined NEW_OBJECT
    for (int i = 0; i < 2; i++) { int x = i; if (i) r = *p; p = &x; }
    CHECK(r == 1);
#elif defined PARAMETER
    parameter(0);
    CHECK(parameter(1) == 1);
#elif defined STRUCTURE
    struct triple s = {{1, 2, 3}};
    structure(s, 0);
    CHECK(structure(s, 1) == 1);
#elif defined PASSED_OVER
    for (int i = 0; i < 2; i++)
        switch (i) {
            int y;
            case 0: y = 1; break;
            case 1: r = y; break;
        }
    CHECK(r == 1);
#elif defined AGAIN
    { back:; int x; if (p) CHECK(x == 7); x = 7; p = &x; if (n++ < 1) goto back; }
#elif defined DEAD_CELL
    { int y = 1; p = &y; }
    *p = 9;
    CHECK(*p == 9);
#elif defined LITERAL
    for (int i = 0; i < 2; i++) { int *here = &(int){i}; if (p) r = *p; p = here; }
    CHECK(r == 1);
#elif defined WRITES_NOWHERE
    for (int i = 0; i < 2; i++) { int x = 5; if (p) *p = 7; CHECK(x == 5); p = &x; }
#elif defined SAME_LITERAL
again:
    q = p, p = &(int){n++};
    if (n < 2) goto again;
    CHECK(p == q && *q == 1);
#else
    { back:; int x; q = p; p = &x; if (n++ < 1) goto back; CHECK(p == q); }
#endif
    return r == 0;
}
