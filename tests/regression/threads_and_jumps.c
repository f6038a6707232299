// UNKNOWN(UNSUPPORTED) define=LOCK
// UNKNOWN(UNSUPPORTED) define=JUMP
// UNKNOWN(UNSUPPORTED) define=SIGNAL
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
extern int pthread_mutex_lock(void *);
extern int setjmp(int *);
extern int raise(int);
int buffer[64];
int main(void) {
#if defined(LOCK)
    pthread_mutex_lock(buffer);
#elif defined(JUMP)
    setjmp(buffer);
#else
    raise(11);
#endif
    return 0;
}
