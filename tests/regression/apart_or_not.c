// TRUE entry=different model=LP64,ILP32 prepare=default,none
// FALSE(unreach-call) entry=equal model=ILP32,LP64 prepare=none,default
// TRUE entry=returned model=LP64,ILP32 prepare=default,none
// FALSE(unreach-call) entry=ordered model=ILP32,LP64 prepare=none,default
// Arguments may be equal; what an undefined function gives is nothing that another pointer leads to; nothing is known of
// the order of addresses.
extern void reach_error(void);
extern int *elsewhere(void);
extern int *head;

int different(int *p, int *q) {
    if (!p || !q || p == q) return 0;
    *p = 1;
    *q = 2;
    if (*p != 1) reach_error();
    return 0;
}

int equal(int *p) {
    if (!p || !head) return 0;
    *p = 1;
    *head = 2;
    if (*p != 1) reach_error();
    return 0;
}

int returned(int *p) {
    int *q = elsewhere();
    if (!p || !q) return 0;
    *p = 1;
    *q = 2;
    if (*p != 1) reach_error();
    return 0;
}

int ordered(int *p, int **q) {
    if (!p || !q || !*q) return 0;
    if (*q < p) reach_error();
    return 0;
}
