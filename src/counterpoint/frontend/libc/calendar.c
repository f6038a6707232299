/* Calendar time: C17 7.27.2.3, 7.27.3, POSIX. UTC is computed exactly; local time is what the environment's time zone
   makes of it: any time of day on any date of the year that is at most one off; what it makes of a second time
   is APPROXIMATED. */
#include "kernel.h"

struct tm { /* as in glibc and musl */
    int second, minute, hour, day, month, year, weekday, day_of_year, summer;
    long offset;
    const char *zone;
};

#define EOVERFLOW 75

static _Bool years_within(long long year) { return year >= -2147481748LL && year <= 2147485547LL; }

/* Days since 1970-01-01 of the first of March of a year, whose number may be any (proleptic Gregorian). */
static long long day_of_march(long long year) {
    long long era = (year >= 0 ? year : year - 399) / 400, within = year - era * 400;
    return era * 146097 + within * 365 + within / 4 - within / 100 - 719468;
}

/* UTC's fields of a time; null with EOVERFLOW for years that an int does not hold. */
static struct tm *utc(long long time, struct tm *result) {
    long long day = time / 86400, rest = time % 86400;
    if (rest < 0) rest += 86400, day--;
    long long shifted = day + 719468, era = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
    long long of_era = shifted - era * 146097;
    long long year_of_era = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    long long year = year_of_era + era * 400; /* begins in March */
    int of_year = (int)(of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100));
    int march = (5 * of_year + 2) / 153;
    int month = march < 10 ? march + 2 : march - 10;
    if (!years_within(year + 1)) {
        *__errno_location() = EOVERFLOW;
        return NULL;
    }
    year += month < 2;
    _Bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    result->second = (int)(rest % 60);
    result->minute = (int)(rest / 60 % 60);
    result->hour = (int)(rest / 3600);
    result->day = of_year - (153 * march + 2) / 5 + 1;
    result->month = month;
    result->year = (int)(year - 1900);
    result->weekday = (int)(((day + 4) % 7 + 7) % 7);
    result->day_of_year = month < 2 ? of_year - 306 : of_year + 59 + leap;
    result->summer = 0;
    result->offset = 0;
    result->zone = "GMT";
    return result;
}

/* The time of UTC's fields, which may lie outside of their ranges. */
static long long time_of(const struct tm *t) {
    long long month = t->month % 12, year = (long long)t->year + 1900 + t->month / 12;
    if (month < 0) month += 12, year--;
    long long march = month < 2 ? month + 10 : month - 2;
    long long day = day_of_march(month < 2 ? year - 1 : year) + (153 * march + 2) / 5 + t->day - 1;
    return day * 86400 + t->hour * 3600LL + t->minute * 60LL + t->second;
}

static struct tm shared;

struct tm *gmtime(const long *time) { return utc(*time, &shared); }
struct tm *__gmtime64(const long long *time) { return utc(*time, &shared); }
struct tm *gmtime_r(const long *time, struct tm *result) { return utc(*time, result); }
struct tm *__gmtime64_r(const long long *time, struct tm *result) { return utc(*time, result); }

static long long normal_utc(struct tm *t) {
    long long time = time_of(t);
    utc(time, t);
    return time;
}
long timegm(struct tm *t) { return (long)normal_utc(t); }
long long __timegm_time64(struct tm *t) { return normal_utc(t); }

static _Bool zone_is_known;

/* The zone is the environment's choice, the first time; what it makes of a time later hangs on that. */
static unsigned of_zone(void) { return zone_is_known ? __cp_nondet_i32(APPROXIMATED) : __cp_nondet_i32(INPUT); }

static int between(int least, int most) {
    int any = (int)of_zone();
    return any < least ? least : any > most ? most : any;
}

/* A zone's name has three characters or more (POSIX 8.3); here at most 15. */
static const char *some_zone(void) {
    static char zone[16];
    if (zone_is_known) __cp_havoc(zone, sizeof zone, APPROXIMATED);
    else __cp_havoc(zone, sizeof zone, INPUT);
    for (int i = 0; i < 3; i++)
        if (!zone[i]) zone[i] = 'U';
    zone[sizeof zone - 1] = 0;
    return zone;
}

static struct tm *in_some_zone(struct tm *t, int year) {
    t->second = between(0, 60);
    t->minute = between(0, 59);
    t->hour = between(0, 23);
    t->day = between(1, 31);
    t->month = between(0, 11);
    t->year = between(year > -2147483647 ? year - 1 : year, year < 2147483647 ? year + 1 : year);
    t->weekday = between(0, 6);
    t->day_of_year = between(0, 365);
    t->summer = between(0, 1);
    t->offset = between(-93599, 93599);
    t->zone = some_zone();
    zone_is_known = 1;
    return t;
}

static struct tm *local(long long time, struct tm *result) {
    return utc(time, result) ? in_some_zone(result, result->year) : NULL;
}
struct tm *localtime(const long *time) { return local(*time, &shared); }
struct tm *__localtime64(const long long *time) { return local(*time, &shared); }
struct tm *localtime_r(const long *time, struct tm *result) { return local(*time, result); }
struct tm *__localtime64_r(const long long *time, struct tm *result) { return local(*time, result); }

/* mktime: C17 7.27.2.3; brings the fields into their ranges. */
static long long from_local(struct tm *t) {
    long long time = time_of(t) + between(-93599, 93599);
    if (!local(time, t)) return -1;
    return time;
}
long mktime(struct tm *t) { return (long)from_local(t); }
long long __mktime64(struct tm *t) { return from_local(t); }

/* asctime, ctime: C17 7.27.3.1, .2: 25 characters, the last a newline. Where a year has not four digits, or another field
   is out of range, C leaves it open; glibc's text is then shorter or longer, or there is none. */
static char text[64];

static char *any_date(char *to) {
    for (int i = 0; i < 24; i++) {
        char c = (char)__cp_nondet_i8(APPROXIMATED);
        to[i] = c ? c : ' ';
    }
    to[24] = '\n';
    to[25] = 0;
    return to;
}
static char *any_text(char *to, int most) {
    if (__cp_nondet_i1(APPROXIMATED)) return NULL;
    for (int i = 0; i < most; i++) to[i] = (char)__cp_nondet_i8(APPROXIMATED);
    to[most] = 0;
    return to;
}

static _Bool is_usual(const struct tm *t) {
    return t->second >= 0 && t->second <= 60 && t->minute >= 0 && t->minute < 60 && t->hour >= 0 && t->hour < 24
        && t->day > 0 && t->day <= 31 && t->month >= 0 && t->month < 12 && t->weekday >= 0 && t->weekday < 7
        && t->year >= 1000 - 1900 && t->year <= 9999 - 1900;
}

/* Two days and more from the ends of the years 1000 to 9999, wherever the clock is read. */
static _Bool is_usual_time(long long time) { return time >= -30610051200LL && time < 253402128000LL; }

static char *date(_Bool usual, char *to, int most) { return usual ? any_date(to) : any_text(to, most); }

char *asctime(const struct tm *t) { return date(is_usual(t), text, sizeof text - 1); }
char *asctime_r(const struct tm *t, char *to) { return date(is_usual(t), to, 25); }
char *ctime(const long *time) { return date(is_usual_time(*time), text, sizeof text - 1); }
char *ctime_r(const long *time, char *to) { return date(is_usual_time(*time), to, 25); }
char *__ctime64(const long long *time) { return date(is_usual_time(*time), text, sizeof text - 1); }
char *__ctime64_r(const long long *time, char *to) { return date(is_usual_time(*time), to, 25); }

/* strftime: C17 7.27.3.5; the text is any that fits, or 0 is returned and the array is indeterminate. */
size_t strftime(char *to, size_t size, const char *format, const struct tm *t) {
    volatile int read = t->second + t->year;
    (void)read;
    while (*format) format++;
    size_t length = clamp(ANY_WORD(APPROXIMATED), size);
    if (size == 0) return 0;
    for (size_t i = 0; i < length; i++) {
        char c = (char)__cp_nondet_i8(APPROXIMATED);
        to[i] = c ? c : ' ';
    }
    if (length == size) return 0;
    to[length] = 0;
    return length;
}
