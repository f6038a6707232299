extern int __VERIFIER_nondet_int(void);
extern void abort(void);
extern void reach_error(void);
static void assume(int c) { if (!c) abort(); }
static void check(int c) { if (!c) reach_error(); }
int main(void) {
  int m[300 * 20];
  for (int j = 0; j < 20; j++) for (int i = 0; i < 300; i++) m[i * 20 + j] = 5;
  for (int k = 0; k < 300 * 20; k++) check(m[k] == 5 + (k == 5999));
  return 0;
}
