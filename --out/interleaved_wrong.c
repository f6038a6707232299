extern int __VERIFIER_nondet_int(void);
extern void abort(void);
extern void reach_error(void);
static void assume(int c) { if (!c) abort(); }
static void check(int c) { if (!c) reach_error(); }
int main(void) {
  int n = __VERIFIER_nondet_int(); assume(n > 3 && n <= 100000);
  int a[n], b[n], c[2 * n];
  for (int i = 0; i < n; i++) { a[i] = __VERIFIER_nondet_int(); b[i] = __VERIFIER_nondet_int(); }
  for (int i = 0; i < n; i++) { c[2 * i] = a[i]; c[2 * i + 1] = b[i]; }
  for (int i = 0; i < n; i++) check(c[2 * i] == a[i] && c[2 * i + 1] == b[i - (i == n - 1)]);
  return 0;
}
