// TRUE property=memory-safety
// FALSE(valid-deref) property=memory-safety define=BUG
// A helper fills two blocks of its caller.
#include <stdlib.h>
extern unsigned __VERIFIER_nondet_uint(void);
static void fill(int *a, long *b, unsigned n) {
  for (unsigned i = 0; i < n; i++) {
    *a++ = i;
#ifdef BUG
    b[i + 1] = i;
#else
    b[i] = i;
#endif
  }
}
int main(void) {
  unsigned n = __VERIFIER_nondet_uint();
  if (n > 10000) return 0;
  int *a = malloc(n * sizeof *a);
  long *b = malloc(n * sizeof *b);
  fill(a, b, n);
  free(b);
  free(a);
  return 0;
}
