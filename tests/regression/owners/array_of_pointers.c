// FALSE(valid-deref) property=memory-safety model=ILP32,LP64 prepare=none,default
char a[4],b[4];
int main(void){ char *t[2]={a,b}; char **pp=t; long d=pp[1]-pp[0]; pp[0]+=d; int same = pp[0]==pp[1]; if(same) pp[0][3]=1; return 0; }
