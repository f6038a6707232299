// FALSE(unreach-call) define=READ model=ILP32,LP64 prepare=default,none
// FALSE(unreach-call) define=CHOSEN prepare=default,none
// FALSE(valid-deref) define=CHOSEN property=memory-safety
// FALSE(unreach-call) define=SHIFT prepare=default,none
// FALSE(unreach-call) define=DIVISION prepare=default,none
// FALSE(unreach-call) define=CONVERSION prepare=default,none
// TRUE model=ILP32,LP64 prepare=default,none
// TRUE property=memory-safety
/* What is undefined for one lane is arbitrary there, and nowhere else; a lane that does not exist is outside. */
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
typedef int ints __attribute__((vector_size(16)));
typedef float floats __attribute__((vector_size(16)));
int main(void) {
    ints a = {1, 2, 3, 4}, amounts;
    int i = __VERIFIER_nondet_int(), found = 0;
#ifdef READ
    found = a[4];
#elif defined CHOSEN
    if (i < 0 || i > 4)
        return 0;
    found = a[i];
#elif defined SHIFT
    amounts = (ints){i, 1, 1, 1};
    found = (a << amounts)[0];
#elif defined DIVISION
    amounts = (ints){1, i, 1, 1};
    found = (a % amounts)[1];
#elif defined CONVERSION
    floats f = {i ? 1e30f : 1, 2, 3, 4};
    found = __builtin_convertvector(f, ints)[0];
#else
    if (i < 0 || i > 3)
        return 0;
    a[i] = 77;
    amounts = (ints){0, 33, i, 31};
    found = (a / amounts)[2] == 77 || (a >> amounts)[3] != (i == 3 ? 0 : 0) ? 0 : a[i];
    if (found != 77 && found != 0)
        reach_error();
    floats f = {1e30f, 2.75f, -3, 4};
    if (__builtin_convertvector(f, ints)[1] != 2)
        reach_error();
    found = 0;
#endif
    if (found == 77)
        reach_error();
    return 0;
}
