// FALSE(unreach-call) define=ZONE model=LP64,ILP32 prepare=default,none
// TRUE define=SHORTEST model=ILP32,LP64 prepare=none,default
// UNKNOWN(UNSUPPORTED) define=NO_TEXT property=memory-safety model=LP64,ILP32 prepare=default,none
// UNKNOWN(UNSUPPORTED) define=LONGER model=ILP32,LP64 prepare=none,default
// TRUE define=USUAL property=memory-safety model=LP64,ILP32 prepare=default,none
// TRUE define=USUAL model=ILP32,LP64 prepare=none,default
// Zones have names of several lengths, and dates only those in years of four digits the text that C describes; of others
// glibc gives a longer one, a shorter one or null.
#define _GNU_SOURCE
#include <string.h>
#include <time.h>
extern void reach_error(void);

int main(void) {
    time_t now = 951782400;
    struct tm date = {.tm_year = 100000, .tm_mday = 1};
#if defined ZONE
    if (strlen(localtime(&now)->tm_zone) != 3) reach_error();
#elif defined SHORTEST
    const char *zone = localtime(&now)->tm_zone;
    if (!zone[0] || !zone[1] || !zone[2]) reach_error();
#elif defined NO_TEXT
    now = (time_t)0x7fffffffffffffff;
    return *ctime(&now);
#elif defined LONGER
    char *text = asctime(&date);
    if (text && text[25]) reach_error();
#else
    char *text = ctime(&now);
    if (text[24] != '\n' || text[25]) reach_error();
    date.tm_year = 100;
    text = asctime(&date);
    if (text[24] != '\n' || text[25]) reach_error();
#endif
    return 0;
}
