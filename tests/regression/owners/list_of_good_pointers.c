// TRUE property=memory-safety model=ILP32,LP64 prepare=none,default
#include <stdlib.h>
struct n { struct n *next; char *d; };
int main(void){ char a[4], b[4]; struct n *l=0; for(int i=0;i<3;i++){ struct n*x=malloc(sizeof*x); x->next=l; x->d= i==1 ? a : b; l=x; } char c=0; for(struct n*x=l;x;){ x->d[0]=c; struct n*t=x->next; free(x); x=t;} return 0; }
