// TRUE property=memory-safety
// FALSE(valid-deref) property=memory-safety define=BUG
// A ring buffer: pointers start again at the base when they reach the end.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
int main(void) {
  unsigned n = __VERIFIER_nondet_uint();
  if (n == 0 || n > 1000) return 0;
  int *base = calloc(n, sizeof(int)), *end = base + n, *head = base, *tail = base;
  while (__VERIFIER_nondet_int()) {
    if (__VERIFIER_nondet_int()) {
      *head++ = 1;
      if (head == end) head = base;
    } else {
      *tail = *tail + 1;
      tail++;
#ifdef BUG
      if (tail > end) tail = base;
#else
      if (tail >= end) tail = base;
#endif
    }
  }
  free(base);
  return 0;
}
