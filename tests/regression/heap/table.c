// TRUE property=memory-safety
// FALSE(valid-deref) property=memory-safety define=BEHIND
// A table that is looked up in an unbounded loop.
extern unsigned __VERIFIER_nondet_uint(void);
static const int table[7] = {3, 1, 4, 1, 5, 9, 2};

#ifdef BEHIND
#define KEYS 8
#else
#define KEYS 7
#endif

int main(void) {
    int sum = 0;
    while (__VERIFIER_nondet_uint()) {
        unsigned key = __VERIFIER_nondet_uint();
        if (key < KEYS) sum ^= table[key];
    }
    return sum;
}
