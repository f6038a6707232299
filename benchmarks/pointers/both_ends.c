// TRUE property=memory-safety
// FALSE(valid-deref) property=memory-safety define=BUG
// Reverses in place from both ends.
#include <stdlib.h>
extern unsigned __VERIFIER_nondet_uint(void);
int main(void) {
  unsigned n = __VERIFIER_nondet_uint();
  if (n == 0 || n > 100000) return 0;
  char *a = calloc(n, 1);
#ifdef BUG
  char *low = a, *high = a + n;
#else
  char *low = a, *high = a + n - 1;
#endif
  while (low < high) {
    char t = *low;
    *low++ = *high;
    *high-- = t;
  }
  free(a);
  return 0;
}
