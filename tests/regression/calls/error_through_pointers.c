// TRUE model=ILP32,LP64 prepare=default,none
// FALSE(unreach-call) define=POINTER model=ILP32,LP64 prepare=default,none
// FALSE(unreach-call) define=TABLE model=ILP32,LP64 prepare=none,default
// FALSE(unreach-call) define=MEMBER model=ILP32,LP64 prepare=default,none
// FALSE(unreach-call) define=CALLBACK model=ILP32,LP64 prepare=none,default
// FALSE(unreach-call) define=SORTED model=ILP32,LP64 prepare=default,none
// FALSE(unreach-call) define=CONSTRUCTED model=ILP32,LP64 prepare=none,default
// FALSE(unreach-call) define=RETURNED model=ILP32,LP64 prepare=default,none
// FALSE(unreach-call) define=OTHER model=ILP32,LP64 prepare=none,default
// The error function has a body of its own, as in many tasks; a call counts however it is made.
#include <assert.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);
void reach_error(void) { assert(0); }
void __VERIFIER_error(void) { abort(); }
void harmless(void) {}

struct operations {
    int size;
    void (*stop)(void);
};

static struct operations operations = {3, reach_error};
static void (*const table[])(void) = {harmless, reach_error};

static void each(void (*visit)(void), int n) {
    while (n-- > 0) visit();
}

static int compare(const void *a, const void *b) {
    reach_error();
    return *(const int *)a - *(const int *)b;
}

static void (*chosen(int which))(void) { return which == 7 ? reach_error : harmless; }

#ifdef CONSTRUCTED
__attribute__((constructor)) static void early(void) { table[1](); }
#endif

int main(void) {
    int numbers[2] = {2, 1};
    int any = __VERIFIER_nondet_int();
    void (*pointer)(void) = harmless;
#ifdef POINTER
    pointer = reach_error;
#endif
    pointer();
#ifdef TABLE
    table[any & 1]();
#else
    table[any & 0]();
#endif
#ifdef MEMBER
    operations.stop();
#endif
#ifdef CALLBACK
    each(reach_error, 2);
#else
    each(reach_error, 0);
#endif
#ifdef SORTED
    qsort(numbers, 2, sizeof numbers[0], compare);
#else
    qsort(numbers, 1, sizeof numbers[0], compare);
#endif
#ifdef RETURNED
    chosen(any)();
#else
    chosen(any | 8)();
#endif
#ifdef OTHER
    pointer = any == 3 ? __VERIFIER_error : harmless;
    pointer();
#endif
    return 0;
}
