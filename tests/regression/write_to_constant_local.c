// TRUE property=memory-safety model=ILP32,LP64 prepare=default,none
// FALSE(valid-deref) property=memory-safety model=ILP32,LP64 prepare=none,default define=SCALAR
// FALSE(valid-deref) property=memory-safety model=ILP32,LP64 prepare=default,none define=ELEMENT
// FALSE(valid-deref) property=memory-safety model=ILP32,LP64 prepare=none,default define=MEMBER
// TRUE model=ILP32,LP64 prepare=default,none define=ELEMENT
// TRUE model=ILP32,LP64 prepare=none,default define=MEMBER
// A local that is defined const is written by its initialiser only; where that is not asked for, other writes have no
// effect.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
struct pair { int first, second; };
typedef const int fixed;
int main(void) {
    int any = __VERIFIER_nondet_int() & 1;
    for (int round = 0; round < 2; round++) {
        fixed scalar = any ? any : 3;
        const int list[4] = {1, any, 2};
        const struct pair pair = {any, any ? 4 : 5}, same = pair;
        const char text[8] = "abc";
#ifdef SCALAR
        *(int *)&scalar = scalar;
#elif defined ELEMENT
        ((int *)list)[2 + any] = 7;
#elif defined MEMBER
        ((struct pair *)&pair)->second++;
#endif
        if (scalar == 0 || list[2] != 2 || list[3] != 0 || pair.second != 5 - any || same.second != 5 - any || text[3])
            reach_error();
    }
    return 0;
}
