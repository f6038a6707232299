// FALSE(valid-deref) property=memory-safety model=ILP32,LP64 prepare=none,default
extern int __VERIFIER_nondet_int(void);
int main(void){ char a[4], b[4]; char *p=a; while(p!=b) p++; *p=1; return 0; }
