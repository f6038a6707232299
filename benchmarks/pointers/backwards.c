// TRUE property=memory-safety
// FALSE(valid-deref) property=memory-safety define=BUG
// Backwards from one behind the last element: while (p > a) *--p.
#include <stdlib.h>
extern unsigned __VERIFIER_nondet_uint(void);
int main(void) {
  unsigned n = __VERIFIER_nondet_uint();
  if (n == 0 || n > 100000) return 0;
  short *a = malloc(n * sizeof(short));
  short *p = a + n;
#ifdef BUG
  while (p >= a) *--p = 1;
#else
  while (p > a) *--p = 1;
#endif
  free(a);
  return 0;
}
