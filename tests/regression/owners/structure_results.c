// FALSE(valid-deref) property=memory-safety model=ILP32,LP64 prepare=none,default
struct s { char *p; long n; int k; };
static struct s mk(char*p){ struct s x={p,1,2}; return x; }
static char* get(struct s x){ return x.p; }
int main(void){ char a[4], b[4]; struct s q[3]; q[1]=mk(a+(b-a)); q[2]=q[1]; *get(q[2])=1; return 0; }
