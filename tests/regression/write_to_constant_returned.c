// TRUE property=valid-deref model=LP64,ILP32 prepare=default,none
// FALSE(valid-deref) property=valid-deref model=ILP32,LP64 prepare=none,default define=SMALL
// FALSE(valid-deref) property=valid-deref model=LP64 prepare=none define=LARGE
/* Const members of locals that calls initialise: in memory or in registers, as the target has it. */
extern void abort(void);
struct pair { const int a; int b; };
struct two { struct pair p; struct pair q; int n; };
struct wide { const long long a; int b[8]; };
extern int __VERIFIER_nondet_int(void);
static struct pair mk(int n) { struct pair p = { n, n + 1 }; return p; }
static struct wide wd(int n) { struct wide p = { n, {n + 1} }; return p; }
static struct pair given = {8, 9};
int main(void) {
  int v = __VERIFIER_nondet_int() & 1;
  struct pair k = mk(3);
  struct wide w = wd(3), x = v ? wd(1) : w;
  struct pair l = v ? mk(v) : given, m = v ? given : mk(2), n = v ? (struct pair){v, 2} : mk(3);
  struct two t = { mk(1), mk(v), v + 1 }, u = { mk(1) }, z[2] = { [1].q = mk(4) };
  k.b = 1; l.b = 2; t.q.b = 3; w.b[3] = 5; x.b[0] = 7; z[1].q.b++; z[0].n = 3;
  for (int i = 0; i < 2; i++) { struct wide y = wd(i); y.b[1] = i; struct pair r = mk(i); r.b++; }
  if (k.a != 3 || w.a != 3 || t.p.a != 1 || z[1].q.a != 4 || z[0].p.a) abort();
#ifdef SMALL
  *(int *)&k.a = v;
#endif
#ifdef LARGE
  *(long long *)&w.a = v;
#endif
}
