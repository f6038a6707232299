extern int __VERIFIER_nondet_int(void);
extern void abort(void);
extern void reach_error(void);
static void assume(int c) { if (!c) abort(); }
static void check(int c) { if (!c) reach_error(); }
int main(void) {
  struct { int x; int y; } s[50000];
  for (int i = 0; i < 50000; i++) { s[i].x = i; s[i].y = 2 * i; }
  for (int i = 0; i < 50000; i++) check(s[i].x + s[i].x == s[i].y + (i == 49999));
  return 0;
}
