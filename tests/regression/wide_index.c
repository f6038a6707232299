// TRUE property=memory-safety model=ILP32,LP64 prepare=default,none
// FALSE(valid-deref) property=memory-safety model=ILP32,LP64 prepare=none,default define=SUBSCRIPT
// FALSE(valid-deref) property=memory-safety model=ILP32,LP64 prepare=default,none define=ADDED
// FALSE(valid-deref) property=memory-safety model=ILP32,LP64 prepare=none,default define=TAKEN
// FALSE(valid-deref) property=memory-safety model=ILP32,LP64 prepare=default,none define=BYTES
// FALSE(unreach-call) model=ILP32,LP64 prepare=none,default define=READ
// UNKNOWN property=memory-safety model=ILP32 define=INSIDE
/* An index wider than a pointer is not cut to its width; a cast that the program writes is. */
extern void reach_error(void);
extern long long __VERIFIER_nondet_longlong(void);
extern void __VERIFIER_assume(int);
#define AT(array, index) array[index]
#define NUMBER(index) numbers[index]
#define CUT(index) numbers[(int)(index)]
static int numbers[4] = {7, 8, 9, 10};
static char text[4];
int main(void) {
    long long any = __VERIFIER_nondet_longlong(), far = (1LL << 32) + any;
    int *p = numbers + 3;
    __VERIFIER_assume(any >= 0 && any < 4);
#if defined SUBSCRIPT
    numbers[far] = 1;
#elif defined ADDED
    *(numbers + far) = 1;
#elif defined TAKEN
    p = p - far;
    *p = 1;
#elif defined BYTES
    text[far] = 1;
#elif defined READ
    if (numbers[far] != 7 + any) reach_error();
#elif defined INSIDE
    NUMBER(far) = 1;
#else
    numbers[any] = AT(text, any) = *(p - any);
    numbers[(int)(far % 8) & 3] = numbers[(int)(far & 3)];
#ifdef __i386__
    numbers[(int)far] = text[(int)far];
    AT(numbers, (int)far) = 1;
#else
    NUMBER(any) = CUT(any);
#endif
#endif
    return 0;
}
