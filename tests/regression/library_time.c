// TRUE model=ILP32,LP64 prepare=default,none
// FALSE(unreach-call) define=LOCAL model=ILP32,LP64 prepare=none,default
// UTC is computed; local time depends on the time zone, readings of clocks on nothing.
#include <time.h>
extern void reach_error(void);

int main(void) {
    time_t t = 951782400;
    struct tm u;
    if (!gmtime_r(&t, &u) || u.tm_year != 100 || u.tm_mon != 1 || u.tm_mday != 29 || u.tm_wday != 2) reach_error();
    u.tm_mon += 12;
    if (timegm(&u) != 983404800 || u.tm_mon != 2 || u.tm_mday != 1) reach_error();
    struct tm *l = localtime(&t);
    if (l && (l->tm_mon < 0 || l->tm_mon > 11)) reach_error();
#ifdef LOCAL
    if (l && l->tm_hour == 5) reach_error();
#endif
    struct timespec now;
    if (clock_gettime(CLOCK_MONOTONIC, &now) == 0 && now.tv_nsec > 999999999) reach_error();
    return 0;
}
