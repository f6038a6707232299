// TRUE property=memory-safety
// FALSE(valid-deref) property=memory-safety define=BUG
// A matrix of nondet size by rows: row pointers move by the width.
#include <stdlib.h>
extern unsigned __VERIFIER_nondet_uint(void);
int main(void) {
  unsigned rows = __VERIFIER_nondet_uint(), width = 16;
  if (rows > 1000) return 0;
  char *m = malloc(rows * width);
  char *row = m;
  for (unsigned r = 0; r < rows; r++, row += width)
#ifdef BUG
    for (char *p = row; p <= row + width; p++)
#else
    for (char *p = row; p < row + width; p++)
#endif
      *p = 0;
  free(m);
  return 0;
}
