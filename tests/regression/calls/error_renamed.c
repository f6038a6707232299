// TRUE model=ILP32,LP64 prepare=default,none
// FALSE(unreach-call) define=LABEL model=ILP32,LP64 prepare=default,none
// FALSE(unreach-call) define=ALIAS model=ILP32,LP64 prepare=none,default
// FALSE(unreach-call) define=WEAK model=ILP32,LP64 prepare=default,none
// FALSE(unreach-call) define=ALIASED model=ILP32,LP64 prepare=none,default
// The error function under another symbol, and other names for it.
extern int __VERIFIER_nondet_int(void);
static int calls;
static void count(void) { calls++; }

#ifdef LABEL
void reach_error(void) __asm__("stop_here");
#endif
#ifdef WEAK
__attribute__((weak)) void reach_error(void) { calls++; }
#elif defined ALIASED
extern void reach_error(void) __attribute__((alias("count")));
#else
void reach_error(void) { calls++; }
#endif
#ifdef ALIAS
extern void complain(void) __attribute__((alias("reach_error")));
#else
static void complain(void) { calls++; }
#endif

int main(void) {
    int any = __VERIFIER_nondet_int();
    void (*volatile pointer)(void) = count;
    pointer();
    complain();
#if defined LABEL || defined WEAK || defined ALIASED
    pointer = reach_error;
    if (any == 5) pointer();
#endif
    if (calls > 2) reach_error();
    return 0;
}
