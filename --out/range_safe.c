extern int __VERIFIER_nondet_int(void);
extern void abort(void);
extern void reach_error(void);
static void assume(int c) { if (!c) abort(); }
static void check(int c) { if (!c) reach_error(); }
int main(void) {
  int n = __VERIFIER_nondet_int(); assume(n > 3 && n <= 100000);
  int a[n], low = __VERIFIER_nondet_int(), high = __VERIFIER_nondet_int();
  assume(0 <= low && low <= high && high < n);
  for (int i = 0; i < n; i++) a[i] = 0;
  for (int i = low; i < high; i++) a[i] = 9;
  for (int i = 0; i < n; i++) check(a[i] == (low <= i && i < high ? 9 : 0));
  return 0;
}
