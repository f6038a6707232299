// TRUE model=ILP32,LP64 prepare=default,none
// TRUE property=memory-safety model=ILP32,LP64 prepare=none,default
// UNKNOWN(UNSUPPORTED) engines=bmc define=WIDER model=ILP32
// UNKNOWN(UNSUPPORTED) engines=bmc define=POINTER prepare=none
// UNKNOWN(UNSUPPORTED) engines=bmc define=NUMBER
// UNKNOWN(UNSUPPORTED) engines=bmc define=OTHERS
// Inputs whose declared type has values that the type they are named after has not; what compilers define themselves.
extern void reach_error(void);
#ifdef WIDER
int __VERIFIER_nondet_uchar(void);
#endif
#ifdef POINTER
int *__VERIFIER_nondet_int(void);
#endif
#ifdef NUMBER
long __VERIFIER_nondet_pchar(void);
#endif
char *__VERIFIER_nondet_charp(void); const char *__VERIFIER_nondet_const_char_pointer(void);
signed char __VERIFIER_nondet_int8_t(void); unsigned long __VERIFIER_nondet_pthread_t(void);
void __VERIFIER_atomic_begin(void); void __VERIFIER_atomic_end(void);
void abort(void); void assume_abort_if_not(int c) { if (!c) abort(); }
void __VERIFIER_assert(int c) { if (!c) { ERROR: { reach_error(); abort(); } } }
void __VERIFIER_atomic_inc(int *p) { (*p)++; }
int main(void) {
    char *s = __VERIFIER_nondet_charp(); const char *t = __VERIFIER_nondet_const_char_pointer();
    signed char c = __VERIFIER_nondet_int8_t(); unsigned long p = __VERIFIER_nondet_pthread_t();
    int n = 0; __VERIFIER_atomic_begin(); __VERIFIER_atomic_inc(&n); __VERIFIER_atomic_end();
    assume_abort_if_not(c > 3); __VERIFIER_assert(c > 3 && n == 1);
#ifdef WIDER
    if (__VERIFIER_nondet_uchar() > 255) reach_error();
#endif
#ifdef POINTER
    if (__VERIFIER_nondet_int()) reach_error();
#endif
#ifdef NUMBER
    if (__VERIFIER_nondet_pchar()) reach_error();
#endif
#ifdef OTHERS
    if (__builtin_add_overflow_p(1, n, 0)) reach_error();
#endif
    if (!__builtin_frame_address(0)) reach_error();
    return 0;
}
