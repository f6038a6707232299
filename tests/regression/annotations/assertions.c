// TRUE annotations=checks model=ILP32,LP64 prepare=default,none
// TRUE define=OFF
// FALSE(unreach-call) annotations=checks define=OFF
// FALSE(unreach-call) annotations=checks define=UNSIGNED
// FALSE(unreach-call) annotations=checks define=BRANCH
// FALSE(unreach-call) annotations=checks define=END model=ILP32
// FALSE(unreach-call) annotations=checks define=LOOP
extern int input(void);
#define N 10
#define LAST (N - 1)
typedef struct { int n; unsigned u : 5; } pair;
enum colour { RED, GREEN };
int main(void) {
    int i = 0, s = 0;
    pair t = {3, 4};
    int *p = &i;
    enum colour c = GREEN;
    /*@ loop invariant 0 <= i <= N && s == 2 * i;
      @ loop assigns i, s; */
    while (i < N) {
        s += 2;
        i++;
        /*@ assert i > 0 ==> s > 0; */
    }
#ifdef LOOP
    //@ loop invariant i < N;
    for (i = 0; i < N; i++) {}
#endif
    //@ assert s == 2 * LAST + 2 && c == GREEN;
    int x = input();
    //@ assert x + 1 > x && -x - 1 < -x && x * x >= 0; // as numbers without bounds
    //@ assert x < 0 <==> x < 0u;
    if (x < 0)
        //@ assert t.u > x && p != \null && *p == N;
        s = 1;
    else
        s = 2;
#ifdef OFF
    //@ assert s == 1;
#endif
#ifdef UNSIGNED
    //@ assert x + 0u >= 0;
#endif
#ifdef BRANCH
    switch (x) {
    //@ assert \false;
    case 3:
        s = 3;
        break;
    default:
        if (x == 4) //@ assert x != 4;
            s++;
    }
#endif
    { s++;
#ifdef END
        //@ assert s != 3;
#endif
    }
    return 0;
    //@ assert \false;
}
