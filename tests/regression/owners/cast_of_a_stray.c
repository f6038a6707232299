// TRUE property=memory-safety model=ILP32,LP64 prepare=none,default
char a[4],b[4];
int main(void){ char *p=a; long d=b-p; p+=d; p=b; *p=1; char *t=a+d; t=(char*)(long)t; *t=2; return 0; }
