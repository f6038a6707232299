// TRUE property=memory-safety model=ILP32,LP64 prepare=default,none
// TRUE model=ILP32,LP64 prepare=none,default
// FALSE(valid-deref) property=memory-safety define=DEAD model=ILP32,LP64 prepare=none,default
// FALSE(unreach-call) define=TWICE model=ILP32,LP64 prepare=default,none
// Cleanup functions run where their locals' blocks are left, by whatever way; the locals live until then.
#include <stdlib.h>
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
static int count, *last;
static void add(int *p) {
    count += *p;
    last = p;
}
static void release(char **p) { free(*p); }
static int jumps(int x) {
    __attribute__((cleanup(add))) int a = 1;
    if (x == 1) return count;
    {
        __attribute__((cleanup(add))) int b = 10, c = 20;
        if (x == 0) goto out;
        b = 30;
    }
out:
    return count;
}
static int rounds(int n) {
    int i = 0;
again:
    for (; i < 3; i++) {
        __attribute__((cleanup(add))) int a = 100;
        if (i == n) continue;
        switch (i) {
        case 1: {
            __attribute__((cleanup(add))) int more = 2;
            i++;
            goto again;
        }
        }
    }
    return count;
}
int main(void) {
    __attribute__((cleanup(release))) char *block = malloc(3);
    if (jumps(1) != 0 || count != 1) reach_error();
    if (jumps(0) != 31 || count != 32) reach_error();
    if (jumps(2) != 82 || count != 83) reach_error();
    count = 0;
    int any = __VERIFIER_nondet_int();
#ifdef TWICE
    if (rounds(any) != 302) reach_error();
#else
    if (rounds(any) != (any == 1 ? 300 : 302)) reach_error();
#endif
#ifdef DEAD
    *last = 1;
#endif
    return 0;
}
