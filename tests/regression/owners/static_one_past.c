// FALSE(valid-deref) property=memory-safety model=ILP32,LP64 prepare=none,default
int x, y; int *p = &x + 1;
int main(void){ *p = 1; return 0; }
