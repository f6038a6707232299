// TRUE property=memory-safety
// FALSE(valid-deref) property=memory-safety define=BUG
// Blocks held in a struct that is handed on by address, walked by its fields.
#include <stdlib.h>
extern unsigned __VERIFIER_nondet_uint(void);
struct pair { char *from, *to; unsigned length; };
static void copy(struct pair *p) {
  for (unsigned i = 0; i < p->length; i++) p->to[i] = p->from[i];
}
int main(void) {
  struct pair p;
  p.length = __VERIFIER_nondet_uint();
  if (p.length > 65536) return 0;
  p.from = calloc(p.length, 1);
#ifdef BUG
  p.to = malloc(p.length > 0 ? p.length - 1 : 0);
#else
  p.to = malloc(p.length);
#endif
  copy(&p);
  free(p.from);
  free(p.to);
  return 0;
}
