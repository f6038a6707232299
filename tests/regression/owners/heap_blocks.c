// FALSE(valid-deref) property=memory-safety model=ILP32,LP64 prepare=none,default
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
int main(void){ char *a=malloc(4), *b=malloc(4); char *p=a; p += (unsigned long)b-(unsigned long)a; int n=0; while(__VERIFIER_nondet_int()) n++; if (p==b) *p=1; free(a); free(b); return 0; }
