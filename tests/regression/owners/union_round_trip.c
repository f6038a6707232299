// TRUE property=memory-safety model=ILP32,LP64 prepare=none,default
int main(void){ int a[2]={0}; union { int *p; long l; unsigned char c[sizeof(int*)]; } u, v; u.p=a; v.l=u.l; v.p[1]=3; for (int i=sizeof(int*)-1;i>=0;i--) v.c[i]=u.c[i]; v.p[0]=1; return 0; }
