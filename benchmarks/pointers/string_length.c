// TRUE property=memory-safety
// FALSE(valid-deref) property=memory-safety define=BUG
// strlen by hand, of a string of any length that ends.
#include <stdlib.h>
extern unsigned __VERIFIER_nondet_uint(void);
extern char __VERIFIER_nondet_char(void);
int main(void) {
  unsigned n = __VERIFIER_nondet_uint();
  if (n == 0 || n > 100000) return 0;
  char *s = malloc(n);
  for (unsigned i = 0; i < n; i++) s[i] = __VERIFIER_nondet_char();
#ifdef BUG
  if (n > 1) s[n - 2] = 1;
#else
  s[n - 1] = 0;
#endif
  char *p = s;
  while (*p) p++;
  unsigned long length = p - s;
  free(s);
  return length > n;
}
