// TRUE property=memory-safety
// FALSE(valid-deref) property=memory-safety define=BUG
// Reads tagged values out of a buffer of any length.
#include <stdlib.h>
extern unsigned __VERIFIER_nondet_uint(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
int main(void) {
  unsigned n = __VERIFIER_nondet_uint();
  if (n > 100000) return 0;
  unsigned char *b = malloc(n);
  for (unsigned i = 0; i < n; i++) b[i] = __VERIFIER_nondet_uchar();
  const unsigned char *p = b, *end = b + n;
  unsigned sum = 0;
  while (p < end) {
    switch (*p) {
    case 0:
      p++;
      break;
    case 1:
#ifndef BUG
      if (end - p < 2) goto out;
#endif
      sum += p[1];
      p += 2;
      break;
    case 2:
      if (end - p < 4) goto out;
      sum += p[3];
      p += 4;
      break;
    default:
      goto out;
    }
  }
out:
  free(b);
  return sum == 1;
}
