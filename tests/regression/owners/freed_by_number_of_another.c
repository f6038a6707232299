// TRUE property=memory-safety model=ILP32,LP64 prepare=none,default
#include <stdlib.h>
int main(void){ char *a=malloc(4), *b=malloc(4); free((char*)((unsigned long)a+((unsigned long)b-(unsigned long)a))); free(a); return 0; }
