// TRUE volatile=arbitrary model=ILP32,LP64 prepare=default,none
// TRUE volatile=ordinary model=ILP32,LP64 prepare=none,default define=KEPT
// FALSE(unreach-call) volatile=arbitrary model=ILP32,LP64 prepare=default,none define=KEPT
// FALSE(unreach-call) volatile=arbitrary model=ILP32,LP64 prepare=none,default define=BUG=1
// FALSE(unreach-call) volatile=arbitrary model=ILP32,LP64 prepare=default,none define=BUG=2
// FALSE(unreach-call) volatile=arbitrary model=ILP32,LP64 prepare=none,default define=BUG=3
// FALSE(unreach-call) volatile=arbitrary model=ILP32,LP64 prepare=default,none define=BUG=4
// FALSE(unreach-call) volatile=arbitrary model=ILP32,LP64 prepare=none,default define=BUG=5
// TRUE property=memory-safety volatile=arbitrary model=ILP32,LP64 prepare=default,none
// FALSE(valid-deref) property=memory-safety volatile=ordinary model=ILP32,LP64 prepare=none,default define=BUG=2
// TRUE property=memory-safety volatile=arbitrary model=ILP32,LP64 prepare=default,none define=BUG=2
// FALSE(valid-deref) property=memory-safety volatile=arbitrary model=ILP32,LP64 prepare=none,default define=BUG=6
// With --volatile arbitrary, each read of volatile memory gives any value; other memory is memory.
extern void reach_error(void);
struct Device { unsigned status, data; };
struct Mixed { int plain; volatile int changing; volatile unsigned low : 3; };
volatile int global;
int main(void) {
    volatile int local = 3;
    struct Mixed m = {1, 2, 3};
    int seen = local, again = seen, *volatile p = &again, a[2];
    volatile int cell[2] = {1, 2};
    global = 5;
    m.plain = 7;
    m.changing = 8;
    if (seen != again || m.plain != 7 || m.low > 7) reach_error();
#ifdef KEPT
    if (local != 3 || global != 5 || m.changing != 8 || m.low != 3 || p != &again || cell[1] != 2) reach_error();
#elif BUG == 1
    if (local != local) reach_error();
#elif BUG == 2
    *(volatile unsigned *)0x4000 = 1;
    struct Device volatile *device = (struct Device volatile *)0x5000;
    ((struct Device volatile *)0x5000)->status = 1;
    if (((struct Device volatile *)0x5000)->data == *(volatile unsigned *)0x4000 + 1) reach_error();
#elif BUG == 3
    if (m.changing == 9 && m.low == 5) reach_error();
#elif BUG == 4
    volatile struct Device v = {1, 2};
    struct Device copy = v;
    if (copy.data == 77) reach_error();
#elif BUG == 5
    if (__sync_fetch_and_add(&global, 1) == 6 || cell[0] == 4) reach_error();
#elif BUG == 6
    a[1] = cell[2];
#endif
    return 0;
}
