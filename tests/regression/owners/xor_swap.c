// TRUE property=memory-safety model=ILP32,LP64 prepare=none,default
#include <stdint.h>
int main(void){ int x=1,y=2; int *p=&x,*q=&y; uintptr_t u=(uintptr_t)p,v=(uintptr_t)q; u^=v; v^=u; u^=v; p=(int*)u; q=(int*)v; *p=5; *q=6; return x-6+y-5; }
