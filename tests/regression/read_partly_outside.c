// FALSE(unreach-call) model=LP64,ILP32 prepare=default,none define=READ=1
// FALSE(unreach-call) model=ILP32,LP64 prepare=none,default define=READ=2
// FALSE(unreach-call) model=LP64,ILP32 prepare=default,none define=READ=3
// FALSE(unreach-call) model=ILP32,LP64 prepare=default,none define=READ=4
// TRUE model=LP64,ILP32 prepare=default,none define=READ=5
// A read that begins in a scalar that nothing writes and ends behind it gives any value: not zeros behind the scalar.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int number = 5;
static short narrow = 5;
float real = 1.5f;
static long long part(void) { return *(long long *)&number >> 32; }

int main(void) {
    int n = __VERIFIER_nondet_int();
#if READ == 1
    if (n == 123456789 && *(long long *)&number == 77) reach_error();
#elif READ == 2
    if (n == 123456789 && *(int *)&narrow == 77) reach_error();
#elif READ == 3
    if (n == 123456789 && *(double *)&real == 3.0) reach_error();
#elif READ == 4
    if (n == 123456789 && part() == 9) reach_error();
#else
    if (*(short *)&number != 5 || *(unsigned *)&number != 5 || *(int *)&real != 0x3fc00000) reach_error();
#endif
    return n;
}
