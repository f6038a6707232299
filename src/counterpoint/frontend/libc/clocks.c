/* Clocks that fill a structure: C17 7.27.2.5, POSIX. Every reading gives any time that the structure's type allows, or
   fails; of a clock that nobody can set, one that is not before the last, nor below 0. A sleep may be interrupted, with
   any rest. Of 32-bit musl's names with 64-bit times the second field is as wide as its headers have it. */
#include "kernel.h"

struct timespec { long seconds, nanoseconds; };
struct timeval { long seconds, microseconds; };
struct timespec64 { long long seconds; long nanoseconds; };
struct timeval64 { long long seconds, microseconds; };

static int below(int limit) {
    unsigned any = __cp_nondet_i32(INPUT);
    return any < (unsigned)limit ? (int)any : limit - 1;
}

static int read_clock(struct timespec *now) {
    if (__cp_nondet_i1(INPUT)) return failed();
    now->seconds = (long)ANY_WORD(INPUT);
    now->nanoseconds = below(1000000000);
    return 0;
}

static int read_clock64(struct timespec64 *now) {
    if (__cp_nondet_i1(INPUT)) return failed();
    now->seconds = (long long)__cp_nondet_i64(INPUT);
    now->nanoseconds = below(1000000000);
    return 0;
}

/* Linux's clocks that count since the machine, the process or the thread began: by their numbers, below CLOCKS. */
#define CLOCKS 8
static _Bool is_steady(int clock) { return (clock >= 1 && clock <= 4) || clock == 6 || clock == 7; }

static _Bool is_before(long long seconds, long nanoseconds, long long other_seconds, long other_nanoseconds) {
    return seconds < other_seconds || (seconds == other_seconds && nanoseconds < other_nanoseconds);
}

int clock_gettime(int clock, struct timespec *now) {
    static struct timespec readings[CLOCKS];
    int answer = read_clock(now);
    if (answer || !is_steady(clock)) return answer;
    struct timespec *last = &readings[clock];
    if (is_before(now->seconds, now->nanoseconds, last->seconds, last->nanoseconds)) *now = *last;
    *last = *now;
    return 0;
}

int clock_getres(int clock, struct timespec *now) { return (void)clock, now ? read_clock(now) : done_or_failure(); }

int __clock_gettime64(int clock, struct timespec64 *now) {
    static struct timespec64 readings[CLOCKS];
    int answer = read_clock64(now);
    if (answer || !is_steady(clock)) return answer;
    struct timespec64 *last = &readings[clock];
    if (is_before(now->seconds, now->nanoseconds, last->seconds, last->nanoseconds)) *now = *last;
    *last = *now;
    return 0;
}

int __clock_getres_time64(int clock, struct timespec64 *now) { return (void)clock, now ? read_clock64(now) : done_or_failure(); }
int timespec_get(struct timespec *now, int base) { return read_clock(now) == 0 ? base : 0; }
int __timespec_get_time64(struct timespec64 *now, int base) { return read_clock64(now) == 0 ? base : 0; }

/* gettimeofday: POSIX; the time zone is unspecified and left alone. */
int gettimeofday(struct timeval *now, void *zone) {
    (void)zone;
    if (__cp_nondet_i1(INPUT)) return failed();
    now->seconds = (long)ANY_WORD(INPUT);
    now->microseconds = below(1000000);
    return 0;
}

int __gettimeofday_time64(struct timeval64 *now, void *zone) {
    (void)zone;
    if (__cp_nondet_i1(INPUT)) return failed();
    now->seconds = (long long)__cp_nondet_i64(INPUT);
    now->microseconds = below(1000000);
    return 0;
}

/* nanosleep: POSIX; -1 with what is left of the time when a signal comes. */
static int rest_of_sleep(const struct timespec *wanted, struct timespec *rest) {
    long seconds = wanted->seconds, nanoseconds = wanted->nanoseconds;
    if (!__cp_nondet_i1(INPUT)) return 0;
    if (rest) {
        long left = (long)ANY_WORD(INPUT);
        rest->seconds = left < 0 ? 0 : left > seconds ? seconds : left;
        rest->nanoseconds = below(1000000000);
        if (rest->seconds == seconds && rest->nanoseconds > nanoseconds) rest->nanoseconds = nanoseconds;
    }
    return failed();
}

static int rest_of_sleep64(const struct timespec64 *wanted, struct timespec64 *rest) {
    long long seconds = wanted->seconds;
    long nanoseconds = wanted->nanoseconds;
    if (!__cp_nondet_i1(INPUT)) return 0;
    if (rest) {
        long long left = (long long)__cp_nondet_i64(INPUT);
        rest->seconds = left < 0 ? 0 : left > seconds ? seconds : left;
        rest->nanoseconds = below(1000000000);
        if (rest->seconds == seconds && rest->nanoseconds > nanoseconds) rest->nanoseconds = nanoseconds;
    }
    return failed();
}

int nanosleep(const struct timespec *wanted, struct timespec *rest) { return rest_of_sleep(wanted, rest); }
int __nanosleep_time64(const struct timespec64 *wanted, struct timespec64 *rest) {
    return rest_of_sleep64(wanted, rest);
}
