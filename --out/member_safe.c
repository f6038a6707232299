extern int __VERIFIER_nondet_int(void);
extern void abort(void);
extern void reach_error(void);
static void assume(int c) { if (!c) abort(); }
static void check(int c) { if (!c) reach_error(); }
int main(void) {
  int n = __VERIFIER_nondet_int(); assume(n > 3 && n <= 100000);
  int a[n], at = 0;
  for (int i = 0; i < n; i++) a[i] = __VERIFIER_nondet_int();
  int most = a[0];
  for (int i = 1; i < n; i++) if (a[i] > most) { most = a[i]; at = i ; }
  check(a[at] == most);
  return 0;
}
