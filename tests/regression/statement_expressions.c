// TRUE model=ILP32,LP64 prepare=default,none
// FALSE(unreach-call) define=BUG model=ILP32,LP64 prepare=none,default
// The value of a statement expression outlives its block, also where the function has labels.
extern void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)

struct S { int a, b; };

int main(void) {
    int n = 0;
again:
    for (int i = 0; i < 2; i++) {
        struct S s = ({ struct S t = {i, 2}; if (n == 5) goto out; t; });
        CHECK(s.a == i && s.b == 2);
        CHECK(({ int z = n; ({ int y = z + 1; y; }); }) == n + 1);
        CHECK(({ struct S t = {i, 3}; t; }).b == 3);
        s = ({ int z = 4; (struct S){z, 2}; });
        CHECK(s.a == 4);
        CHECK(({ int *p = (int[]){1, 2, 3}; p[1]; }) == 2);
        CHECK(({ goto here; here: 5; }) == 5);
        CHECK(({ int z = n; if (z == 5) goto out; z + 7; }) == n + 7);
        CHECK(({ int z = n; if (z == 5) return 0; ({ int y = z; if (y == 6) break; y; }) + z; }) == 2 * n);
    }
#ifdef BUG
    CHECK(n != 1);
#endif
    if (n++ < 1) goto again;
out:
    return 0;
}
