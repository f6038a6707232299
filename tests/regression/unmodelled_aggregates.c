// UNKNOWN(UNSUPPORTED) engines=bmc model=ILP32,LP64 prepare=default,none
// TRUE engines=bmc model=ILP32,LP64 prepare=default,none define=PAIR
/* Values of a type that is not modelled, whole in a local and handed on. */
extern void reach_error(void); extern int __VERIFIER_nondet_int(void);
#ifdef PAIR
typedef struct { long double a; int b; } T;
T f(T x) { return x; }
int main(void) { T t; t.b = 3; if (__VERIFIER_nondet_int()) t = f(t); if (t.b != 3) reach_error(); return 0; }
#else
typedef _Complex long double T;
T f(T x) { return x + 1; }
int main(void) { T t = 1; if (__VERIFIER_nondet_int()) t = f(t); return 0; }
#endif
