// TRUE property=valid-deref model=LP64,ILP32 prepare=default,none
// TRUE model=ILP32 prepare=default
// FALSE(valid-deref) property=valid-deref model=LP64,ILP32 prepare=default,none define=COPIED
// FALSE(valid-deref) property=valid-deref model=ILP32 prepare=none define=CLEARED
// FALSE(valid-deref) property=valid-deref model=LP64 prepare=none define=NESTED
/* Const members of locals, by all ways to initialise these: the initialiser is over when it is, also where it is one copy. */
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
#define CHECK(c) do { if(!(c)) reach_error(); } while(0)
struct pair { const int first; int second; };
struct deep { struct pair a[2]; const char name[6]; const struct pair *next; };
static struct pair mk(int n) { struct pair p = {n, n + 1}; return p; }
static struct pair given = {8, 9};
static int sum(const struct pair *p) { return p->first + p->second; }
int main(void) {
    int z = __VERIFIER_nondet_int() & 0;
    struct pair a = {1, 2}, b = {1 + z, 2}, c = {.second = 3}, d = {0}, e = mk(4), f = e, g = given;
    struct pair h = z ? a : b, i = z ? (struct pair){1, 2} : (struct pair){3, 4}, j = (struct pair){5, z + 6}, k = ({ struct pair t = {1, 1}; t; });
    struct deep l = {{{1, 2}, {3 + z, 4}}, "abc", &a}, m = {.a = {[1] = {5}}, .name = {'x', 'y' + z}}, n = l;
    struct deep o = {.next = &(struct pair){7, 8}, .a[0] = mk(3), .a[1].second = sum(&a)};
    struct pair arr[3] = {{1, 2}, mk(2), z ? a : g}, zeros[4] = {{0}};
    const struct { int x; struct pair p; } q = {sum(&a), mk(sum(&b))}, r = q;
    a.second = b.second = c.second = d.second = 1; e.second++; l.a[0].second = 5; m.a[1].second++; arr[1].second = 9; zeros[2].second = 1; o.a[0].second--;
    CHECK(sum(&a) + sum(&b) + sum(&c) + sum(&d) == 2 + 2 + 1 + 1);
    CHECK(sum(&e) == 10 && sum(&f) == 9 && sum(&g) == 17 && sum(&h) == 3 && sum(&i) == 7 && sum(&j) == 11 && sum(&k) == 2);
    CHECK(l.a[0].first == 1 && l.a[1].first == 3 && l.name[2] == 'c' && l.next->first == 1 && m.a[1].first == 5 && m.name[1] == 'y' && n.a[0].second == 2);
    CHECK(o.next->first == 7 && o.a[0].first == 3 && o.a[1].second == 3 && arr[1].first == 2 && arr[2].first == 8 && zeros[2].first == 0);
    CHECK(r.x == 3 && r.p.first == 3);
    for (int s = 0; s < 2; s++) {
        struct pair in = {s, 2}, *p = &in;
        const struct pair fixed = {1, 2}, *w = &fixed;
        p->second = 4;
        CHECK(sum(p) == s + 4 && sum(w) == 3);
    }
#ifdef COPIED
    *(int *)&a.first = 1;
#endif
#ifdef NESTED
    *(int *)&l.a[1].first = 1;
#endif
#ifdef CLEARED
    *(int *)&zeros[1].first = z;
#endif
}
