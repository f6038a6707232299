// TRUE model=ILP32,LP64 prepare=default,none
// TRUE property=memory-safety model=ILP32,LP64 prepare=none,default
// FALSE(unreach-call) define=APART model=ILP32,LP64 prepare=none,default
// An alias is the object or function itself: same address, same contents; also weak ones, of members, of static objects.
extern void reach_error(void);
struct pair { int x, y; } whole = {1, 2};
extern struct pair also __attribute__((alias("whole")));
extern int first __attribute__((weak, alias("whole")));
static int hidden[4] = {4, 5};
extern int shown[4] __attribute__((alias("hidden")));
int *kept = &shown[1];
static int doubled(int x) { return x * 2; }
int named(int) __attribute__((alias("doubled")));
int weakly(int) __attribute__((weak, alias("doubled")));
int target(int x) { return x + 7; }
static int by_reference(int) __attribute__((weakref("target")));
static int to_nothing(int) __attribute__((weakref("not_there")));
int tentative, tentative;
int tentative = 3;
int unsized[];
struct later;
extern struct later postponed;
struct later { int a; };
struct later postponed;

int main(void) {
    first = 5;
    also.y = 6;
    if (whole.x != 5 || whole.y != 6 || (void *)&also != &whole || &first != &whole.x) reach_error();
    shown[1] = 9;
    if (hidden[1] != 9 || *kept != 9 || kept != hidden + 1) reach_error();
    int (*called)(int) = named;
    if (called != doubled || called != weakly || named(2) != 4 || weakly(3) != 6 || by_reference(1) != 8) reach_error();
    if (to_nothing) to_nothing(1);
    if (tentative != 3 || unsized[0] || postponed.a) reach_error();
#ifdef APART
    if (&first == &also.x) reach_error();
#endif
    return 0;
}
