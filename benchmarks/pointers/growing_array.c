// TRUE property=memory-safety
// FALSE(valid-deref) property=memory-safety define=BUG
// The same with plain locals.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
  unsigned cap = 8, len = 0;
  char *data = malloc(cap);
  while (__VERIFIER_nondet_int()) {
#ifdef BUG
    if (len > cap) {
#else
    if (len == cap) {
#endif
      if (cap > 100000000) break;
      cap = cap * 2;
      data = realloc(data, cap);
    }
    data[len++] = 'a';
  }
  if (len > 0) data[len - 1] = 0;
  free(data);
  return 0;
}
