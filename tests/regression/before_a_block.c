// TRUE engines=bmc model=ILP32,LP64 prepare=default,none
// FALSE(unreach-call) engines=bmc model=ILP32,LP64 prepare=default,none define=FAULT
// A chosen place that may lie before a block of unknown size: an access there crosses the end of the address space.
#include <stdlib.h>
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);
int main(void) {
  unsigned size = __VERIFIER_nondet_uint(), which = __VERIFIER_nondet_uint(), at = __VERIFIER_nondet_uint();
  if (size < 8 || size > 64 || at >= size) return 0;
  unsigned char *block = malloc(size);
  for (unsigned i = 0; i < 8; i++) block[i] = 0;
  long before = which == 0 ? -1 : which == 1 ? 2 : 4;
  *(unsigned short *)(block + before) = 0x0101;
  unsigned char seen = block[at];
#ifdef FAULT
  if (at == 3 && seen == 1) reach_error();
#else
  if (at < 8 && seen == 1 && at != 2 && at != 3 && at != 4 && at != 5) reach_error();
#endif
}
