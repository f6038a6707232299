// TRUE property=memory-safety
// FALSE(valid-deref) property=memory-safety define=BUG
// while (*p++ = *q++) into a block that is large enough.
#include <stdlib.h>
extern unsigned __VERIFIER_nondet_uint(void);
extern char __VERIFIER_nondet_char(void);
int main(void) {
  unsigned n = __VERIFIER_nondet_uint();
  if (n > 100000) return 0;
  char *s = malloc(n + 1);
  for (unsigned i = 0; i < n; i++) s[i] = __VERIFIER_nondet_char();
  s[n] = 0;
#ifdef BUG
  char *t = malloc(n ? n : 1);
#else
  char *t = malloc(n + 1);
#endif
  char *p = t, *q = s;
  while ((*p++ = *q++)) ;
  free(s);
  free(t);
  return 0;
}
