// TRUE property=memory-safety model=ILP32,LP64
// FALSE(valid-deref) property=memory-safety model=ILP32,LP64 define=FAR
// FALSE(valid-deref) property=memory-safety model=ILP32,LP64 define=LEAST
// TRUE property=memory-safety model=ILP32,LP64 define=COMPARES
// TRUE property=unreach-call model=ILP32,LP64 define=FAR
// Functions that take a class from a table read outside of it for what is no character. Those that compare do not.
extern int isalpha(int), ispunct(int), isdigit(int), toupper(int);
extern char __VERIFIER_nondet_char(void);
extern void reach_error(void);
int main(void) {
    int c = __VERIFIER_nondet_char();
#ifdef FAR
    c += 1000000;
#elif defined LEAST
    c = (int)((unsigned)c << 31);
#endif
#ifdef COMPARES
    c += 1000000;
    if (isdigit(c) || toupper(c) != c)
        reach_error();
#else
    if (isalpha(c) && ispunct(c))
        reach_error();
#endif
    return 0;
}
