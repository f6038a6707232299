// FALSE(valid-deref) property=memory-safety model=ILP32,LP64 prepare=none,default
#include <stdlib.h>
int main(void){ int *p=malloc(8); int*q=realloc(p,16); if(q==p) *p=1; else *p=2; free(q); return 0; }
