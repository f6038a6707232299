// FALSE(valid-deref) property=memory-safety model=ILP32,LP64 prepare=none,default
char a[4],b[4];
int main(void){ long d=b-a; char *t=a+d; char *u=(char*)(long)t; *u=2; u[4]=1; return 0; }
