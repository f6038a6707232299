// TRUE property=memory-safety
// FALSE(valid-deref) property=memory-safety define=BUG
// Walks over a block of any length: while (p != e).
#include <stdlib.h>
extern unsigned __VERIFIER_nondet_uint(void);
int main(void) {
  unsigned n = __VERIFIER_nondet_uint();
  if (n > 100000) return 0;
  int *a = malloc((n + 1) * sizeof(int));
  int *e = a + n;
#ifdef BUG
  e += 2;
#endif
  for (int *p = a; p != e; p++) *p = 7;
  free(a);
  return 0;
}
