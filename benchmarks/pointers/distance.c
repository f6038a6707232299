// TRUE property=memory-safety
// FALSE(valid-deref) property=memory-safety define=BUG
// Two pointers that move together, one of them compared.
extern int __VERIFIER_nondet_int(void);
static int from[100];
int main(void) {
#ifdef BUG
  int to[99];
#else
  int to[100];
#endif
  int n = __VERIFIER_nondet_int();
  if (n < 0 || n > 100) return 0;
  const int *s = from, *last = from + n;
  int *d = to;
  while (s != last) *d++ = *s++;
  return 0;
}
