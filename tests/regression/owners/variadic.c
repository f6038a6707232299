// FALSE(valid-deref) property=memory-safety model=ILP32,LP64 prepare=none,default
#include <stdarg.h>
static void f(int n, ...){ va_list l; va_start(l,n); char*p=va_arg(l,char*); va_end(l); *p=1; }
int main(void){ char a[4], b[4]; f(1, a+(b-a)); return 0; }
