// TRUE property=memory-safety model=ILP32,LP64 prepare=none,default
int x[4]; int *p = x - 1, *q = x + 9;
int main(void){ p[1] = 1; q[-6]=2; return 0; }
