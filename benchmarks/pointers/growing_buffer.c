// TRUE property=memory-safety
// FALSE(valid-deref) property=memory-safety define=BUG
// A buffer with data, length and capacity in a local struct, doubled when it is full.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct buffer { int *data; unsigned long len, cap; };
static void push(struct buffer *b, int value) {
#ifdef BUG
  if (b->len > b->cap) {
#else
  if (b->len == b->cap) {
#endif
    if (b->cap > 1000000) exit(1);
    b->cap *= 2;
    b->data = realloc(b->data, b->cap * sizeof(int));
  }
  b->data[b->len++] = value;
}
int main(void) {
  struct buffer b;
  b.cap = 4;
  b.len = 0;
  b.data = malloc(b.cap * sizeof(int));
  while (__VERIFIER_nondet_int()) push(&b, 1);
  int sum = 0;
  for (unsigned long i = 0; i < b.len; i++) sum ^= b.data[i];
  free(b.data);
  return 0;
}
