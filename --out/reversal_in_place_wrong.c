extern int __VERIFIER_nondet_int(void);
extern void abort(void);
extern void reach_error(void);
static void assume(int c) { if (!c) abort(); }
static void check(int c) { if (!c) reach_error(); }
int main(void) {
  int n = __VERIFIER_nondet_int(); assume(n > 3 && n <= 100000);
  int a[n];
  for (int i = 0; i < n; i++) a[i] = i;
  int low = 0, high = n - 1;
  while (low < high) { int t = a[low]; a[low] = a[high]; a[high] = t; low++; high--; }
  for (int i = 0; i < n; i++) check(a[i] == n - 1 - (i == n - 1) - i);
  return 0;
}
