/* Pseudo-random numbers: C17 7.22.2, POSIX. Which sequence a seed gives is the implementation's
   choice, so every number is arbitrary within its range. A seed that was there before brings its numbers back: behind
   a second one, or 1, with which C begins, where numbers were drawn before, they are APPROXIMATED. */
#include "kernel.h"

static _Bool seeded, drawn, repeated;

static void start(unsigned long seed) {
    if (seeded || (drawn && seed == 1)) repeated = 1;
    seeded = 1;
}

static unsigned some_bits(void) {
    drawn = 1;
    return repeated ? __cp_nondet_i32(APPROXIMATED) : __cp_nondet_i32(INPUT);
}
static int up_to_31_bits(void) { return (int)(some_bits() >> 1); }

/* rand, srand: C17 7.22.2.1; RAND_MAX is 2^31 - 1 as in glibc and musl. */
int rand(void) { return up_to_31_bits(); }
void srand(unsigned seed) { start(seed); }

/* rand_r: POSIX.1-2008; the state is the caller's. One that the last call did not leave may have been there before, and
   so was the first. */
int rand_r(unsigned *state) {
    static unsigned first, left;
    static _Bool called;
    _Bool fresh = !called || (*state == left && *state != first);
    if (!called) first = *state;
    called = 1;
    left = *state = fresh ? __cp_nondet_i32(INPUT) : __cp_nondet_i32(APPROXIMATED);
    return (int)((fresh ? __cp_nondet_i32(INPUT) : __cp_nondet_i32(APPROXIMATED)) >> 1);
}

/* random, srandom, lrand48, mrand48, srand48: POSIX. */
long random(void) { return up_to_31_bits(); }
void srandom(unsigned seed) { start(seed); }
long lrand48(void) { return up_to_31_bits(); }
long mrand48(void) { return (int)some_bits(); }
void srand48(long seed) { start((unsigned long)seed); }

/* drand48: POSIX; in [0, 1), a multiple of 2^-48. */
double drand48(void) {
    drawn = 1;
    unsigned long long bits = repeated ? __cp_nondet_i64(APPROXIMATED) : __cp_nondet_i64(INPUT);
    return (double)(bits >> 16) * 0x1p-48;
}

/* arc4random: BSD, glibc 2.36. */
unsigned arc4random(void) { return __cp_nondet_i32(INPUT); }
unsigned arc4random_uniform(unsigned bound) {
    if (bound < 2) return 0;
    return (unsigned)clamp(__cp_nondet_i32(INPUT), bound - 1);
}

/* getrandom: Linux; fewer bytes than asked for where these are more than 256, or -1. */
ssize_t getrandom(void *buffer, size_t size, unsigned flags) {
    (void)flags;
    if (__cp_nondet_i1(INPUT)) return failed();
    size_t given = size > 256 ? clamp(ANY_WORD(INPUT), size) : size;
    if (given == size)
        __cp_havoc(buffer, size, INPUT);
    else
        for (size_t i = 0; i < given; i++) ((byte *)buffer)[i] = __cp_nondet_i8(INPUT);
    return (ssize_t)given;
}
