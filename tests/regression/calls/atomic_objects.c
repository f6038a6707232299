// TRUE model=ILP32,LP64 prepare=default,none
// FALSE(unreach-call) define=BUG model=ILP32,LP64 prepare=none,default
// FALSE(valid-deref) define=OUTSIDE property=memory-safety model=ILP32,LP64 prepare=none,default
// Atomic objects that no instruction fits: structures, members of packed ones, odd sizes.
extern void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)

struct S { int a, b, c; };
static _Atomic struct S whole;
struct Bytes { char at[9]; };
static struct Bytes bytes;
static struct __attribute__((packed)) Q { char c; int v; } packed;
static int *_Atomic where;

int main(void) {
    struct S s = {1, 2, 3};
    whole = s;
    struct S read = whole;
    CHECK(read.a == 1 && read.c == 3);

    struct Bytes given = {{1, 2, 3}}, old, wanted = {{9}};
    __atomic_store(&bytes, &given, __ATOMIC_SEQ_CST);
    given.at[8] = 7;
    __atomic_exchange(&bytes, &given, &old, __ATOMIC_SEQ_CST);
    CHECK(old.at[8] == 0 && bytes.at[8] == 7);
    CHECK(!__atomic_compare_exchange(&bytes, &wanted, &old, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
    CHECK(wanted.at[8] == 7);
    CHECK(__atomic_compare_exchange(&bytes, &wanted, &old, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
    __atomic_load(&bytes, &given, __ATOMIC_SEQ_CST);
    CHECK(given.at[8] == 0 && given.at[2] == 3);

    int expected = 42;
    packed.v = 41;
    CHECK(__atomic_add_fetch(&packed.v, 1, __ATOMIC_SEQ_CST) == 42);
    CHECK(__atomic_compare_exchange_n(&packed.v, &expected, 7, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
    CHECK(__atomic_exchange_n(&packed.v, 9, __ATOMIC_SEQ_CST) == 7);
    where = &packed.v;
#ifdef OUTSIDE
    __atomic_store(&bytes, (struct Bytes *)&packed, __ATOMIC_SEQ_CST);
#endif
#ifdef BUG
    CHECK(packed.v != 9);
#else
    CHECK(*where == 9);
#endif
    return 0;
}
