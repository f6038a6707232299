// TRUE property=memory-safety
// FALSE(valid-deref) property=memory-safety define=BUG
// strcpy and strlen of the library, strings of any length.
#include <stdlib.h>
#include <string.h>
extern unsigned __VERIFIER_nondet_uint(void);
extern char __VERIFIER_nondet_char(void);
int main(void) {
  unsigned n = __VERIFIER_nondet_uint();
  if (n > 100000) return 0;
  char *s = malloc(n + 1);
  for (unsigned i = 0; i < n; i++) s[i] = __VERIFIER_nondet_char();
  s[n] = 0;
#ifdef BUG
  char *t = malloc(strlen(s) ? strlen(s) : 1);
#else
  char *t = malloc(strlen(s) + 1);
#endif
  strcpy(t, s);
  free(s);
  free(t);
  return 0;
}
