// FALSE(valid-deref) property=memory-safety model=ILP32,LP64 prepare=default,none define=INTO_BLOCK
// FALSE(valid-deref) property=memory-safety model=ILP32,LP64 prepare=default,none define=SWITCH
// FALSE(valid-deref) property=memory-safety model=ILP32,LP64 prepare=default,none define=LEFT
// TRUE property=memory-safety model=ILP32,LP64 prepare=default,none define=BACK
// TRUE property=memory-safety model=ILP32,LP64 prepare=default,none define=FALLS_THROUGH
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int *p = 0, n = 0, r = 0;
#ifdef INTO_BLOCK
    { goto in; int y; in: y = 3; p = &y; }
    return *p;
#elif defined SWITCH
    for (int i = 0; i < 2; i++)
        switch (i) {
            int y;
            case 0: y = 1; p = &y; break;
            case 1: y = 2; r = *p; break;
        }
    return r;
#elif defined LEFT
again:
    { int x = n; if (p) return *p; p = &x; }
    goto again;
#elif defined BACK /* within one entry of the block it is one object */
    { back:; if (p) *p = 3; int x; p = &x; if (n++ < 2) goto back; }
    return 0;
#else
    switch (__VERIFIER_nondet_int()) {
        int y;
        case 0: y = 1; p = &y; /* falls through */
        case 1: if (p) r = *p; break;
    }
    return r;
#endif
}
