// TRUE model=ILP32,LP64 prepare=default,none std=gnu23
// FALSE(valid-deref) property=valid-deref model=LP64,ILP32 prepare=none,default std=gnu23 define=LOCAL
// FALSE(valid-deref) property=valid-deref model=LP64,ILP32 prepare=default,none std=gnu23 define=MEMBER
/* typeof_unqual: what is declared with it is not const, what stands beside it may be. */
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
#define SAME(x) typeof_unqual(x)
#define SWAP(a, b) do { __typeof_unqual__(a) t_ = a; a = b; b = t_; } while (0)
struct pair {
    const int first;
    int second;
};
typedef const int number;
typedef typeof_unqual(number) plain;

static const int start = 3;
static typeof_unqual(start) counter = 3;
static struct {
    typeof_unqual(start) member;
    int other;
} whole = {1, 2};

static int increased(typeof_unqual(start) parameter) {
    parameter++;
    return parameter;
}
int main(void) {
    int zero = __VERIFIER_nondet_int() & 0;
    number n = 4 + zero;
    typeof_unqual(n) a = n,
                     b = 5;
    SAME(n) c = 6;
    plain d = 7;
    int *p = &b;
    a++, c++, d++, ++*p, counter++, whole.member += 4;
    CHECK(a == 5 && b == 6 && c == 7 && d == 8 && counter == 4 && whole.member == 5);
    for (typeof_unqual(n) i = 0; i < 3; i++)
        c += i;
    SWAP(a, c);
    CHECK(a == 10 && c == 5 && increased(8) == 9 && n == 4 && start == 3);
#ifdef LOCAL

    const int fixed = 1;
    *(int *)&fixed = 2;
#endif
#ifdef MEMBER
    struct pair two = {1, 2};
    *(int *)&two.first = zero;
#endif
}
