extern int __VERIFIER_nondet_int(void);
extern void abort(void);
extern void reach_error(void);
static void assume(int c) { if (!c) abort(); }
static void check(int c) { if (!c) reach_error(); }
int main(void) {
  int a[20000];
  for (int i = 0; i < 20000; i += 2) a[i] = 1;
  for (int i = 1; i < 19998; i += 2) a[i] = 2;
  for (int i = 0; i < 20000; i++) check(i % 2 == 0 ? a[i] == 1 : a[i] == 2);
  return 0;
}
