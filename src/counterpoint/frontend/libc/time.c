/* Clocks: C17 7.27.2, POSIX. Time is arbitrary at every reading and may stand still or run backwards, as a clock that
   someone sets does; the time that a program used up does not, but for what 32 bits cut off. `time` is the function with
   a long result; musl's 32-bit headers call __time64 instead. */
#include "kernel.h"

/* time: C17 7.27.2.4; -1 when there is no clock. */
long time(long *result) {
    long now = (long)ANY_WORD(INPUT);
    if (now < 0) now = -1;
    if (result) *result = now;
    return now;
}

long long __time64(long long *result) {
    long long now = (long long)__cp_nondet_i64(INPUT);
    if (now < 0) now = -1;
    if (result) *result = now;
    return now;
}

/* clock: C17 7.27.2.1. */
long clock(void) {
    long used = (long)ANY_WORD(INPUT);
    if (used < 0) return -1;
#if __SIZEOF_LONG__ == 8
    static long last;
    if (used < last) used = last;
    last = used;
#endif
    return used;
}

/* difftime: C17 7.27.2.2. */
static double between_times(long long end, long long start) {
    if (end < start) return -(double)((unsigned long long)start - (unsigned long long)end);
    return (double)((unsigned long long)end - (unsigned long long)start);
}
double difftime(long end, long start) { return between_times(end, start); }
double __difftime64(long long end, long long start) { return between_times(end, start); }

/* sleep: POSIX; the seconds that a signal left over. */
unsigned sleep(unsigned seconds) {
    return (unsigned)clamp(__cp_nondet_i32(INPUT), seconds);
}

/* usleep: POSIX.1-2001. */
int usleep(unsigned microseconds) {
    (void)microseconds;
    return done_or_failure();
}
