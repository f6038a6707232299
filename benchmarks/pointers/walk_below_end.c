// TRUE property=memory-safety
// FALSE(valid-deref) property=memory-safety define=BUG
// Walks over a block of any length, two elements a time: while (p < e).
#include <stdlib.h>
extern unsigned __VERIFIER_nondet_uint(void);
int main(void) {
  unsigned n = __VERIFIER_nondet_uint();
  if (n < 2 || n > 100000) return 0;
  char *a = malloc(n);
#ifdef BUG
  char *e = a + n;
#else
  char *e = a + n - 1;
#endif
  char *p = a;
  while (p < e) {
    p[0] = 1;
    p[1] = 2;
    p += 2;
  }
  free(a);
  return 0;
}
