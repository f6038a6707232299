extern int __VERIFIER_nondet_int(void);
extern void abort(void);
extern void reach_error(void);
static void assume(int c) { if (!c) abort(); }
static void check(int c) { if (!c) reach_error(); }
int main(void) {
  int a[30000], b[30005];
  for (int i = 0; i < 30000; i++) a[i] = i * 3;
  for (int i = 0; i < 30000; i++) b[i + 5] = a[i] + 1;
  for (int i = 5; i < 30005; i++) check(b[i] == (i - 5) * 3 + (i == 30004 ? 2 : 1));
  return 0;
}
