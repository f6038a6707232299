// TRUE property=memory-safety entry=passed model=LP64,ILP32 prepare=default,none
// TRUE property=memory-safety entry=returned model=ILP32,LP64 prepare=none,default
// FALSE(unreach-call) entry=any model=LP64,ILP32 prepare=default,none
// FALSE(valid-deref) property=memory-safety entry=member model=LP64,ILP32 prepare=default,none
// Structures that an entry function is given or returns are objects of its caller, also where they travel in memory.
extern void reach_error(void);
struct large {
    int a[40];
    int *p;
};

int passed(struct large x, struct large y) {
    x.a[39] = y.a[0];
    return x.a[1];
}

struct large returned(int n) {
    struct large made = {{n}};
    return made;
}

int any(struct large x, struct large y) {
    x.a[0] = 1;
    if (y.a[0] == 2 && x.a[39] == 3)
        reach_error();
    return 0;
}

int member(struct large x) { return *x.p; }
