// FALSE(valid-memtrack) or UNKNOWN property=memory-safety timeout=4 prepare=default,none
/* What is lost before a call that never returns is lost, though no run goes on behind it. */
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
int *G; int k;
static void rec(int n){ k = n; if (n < 0) return; rec(n & 7); }
int main(void){
  G = malloc(4);
  if (__VERIFIER_nondet_int()) { G = 0; rec(5); }
  return 0;
}
