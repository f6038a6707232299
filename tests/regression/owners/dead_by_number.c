// FALSE(valid-deref) property=memory-safety model=ILP32,LP64 prepare=none,default
int *keep; char fill[64];
static void f(void){ int x=1; keep=&x; }
int main(void){ f(); unsigned long u=(unsigned long)keep; int *p=(int*)u; return *p; }
