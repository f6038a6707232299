extern int __VERIFIER_nondet_int(void);
extern void abort(void);
extern void reach_error(void);
static void assume(int c) { if (!c) abort(); }
static void check(int c) { if (!c) reach_error(); }
int main(void) {
  int n = __VERIFIER_nondet_int(); assume(n > 3 && n <= 100000);
  int a[n]; a[0] = __VERIFIER_nondet_int();
  assume(a[0] > -1000 && a[0] < 1000);
  for (int i = 1; i < n; i++) { a[i] = __VERIFIER_nondet_int(); assume(a[i - 1] <= a[i]); }
  int p = __VERIFIER_nondet_int(), q = __VERIFIER_nondet_int();
  assume(0 <= p && p < n && 0 <= q && q < n && p <= q );
  check(a[p] <= a[q]);
  return 0;
}
