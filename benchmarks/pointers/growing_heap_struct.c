// TRUE property=memory-safety
// FALSE(valid-deref) property=memory-safety define=BUG
// A growing buffer whose struct is itself in a block.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct buffer { unsigned len, cap; char *data; };
int main(void) {
  struct buffer *b = malloc(sizeof *b);
  b->len = 0;
  b->cap = 16;
  b->data = malloc(16);
  while (__VERIFIER_nondet_int()) {
    if (b->len >= b->cap) {
      if (b->cap > 100000000) break;
      b->cap = 2 * b->cap;
      b->data = realloc(b->data, b->cap);
    }
#ifdef BUG
    b->data[b->len + 1] = 1;
    b->len++;
#else
    b->data[b->len++] = 1;
#endif
  }
  free(b->data);
  free(b);
  return 0;
}
