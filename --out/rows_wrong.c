extern int __VERIFIER_nondet_int(void);
extern void abort(void);
extern void reach_error(void);
static void assume(int c) { if (!c) abort(); }
static void check(int c) { if (!c) reach_error(); }
int main(void) {
  int n = __VERIFIER_nondet_int(); assume(n > 3 && n <= 100000);
  int (*m)[16] = __builtin_malloc(n * sizeof *m);
  for (int i = 0; i < n; i++) for (int j = 0; j < 16 - (i == n - 1); j++) m[i][j] = i;
  for (int i = 0; i < n; i++) for (int j = 0; j < 16; j++) check(m[i][j] == i);
  return 0;
}
