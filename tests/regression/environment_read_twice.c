// FALSE(unreach-call) define=FIRST model=LP64,ILP32 prepare=default,none
// TRUE define=PROCESS model=ILP32,LP64 prepare=none,default
// TRUE or UNKNOWN define=USER model=LP64,ILP32 prepare=default,none
// TRUE or UNKNOWN define=VARIABLE model=ILP32,LP64 prepare=none,default
// TRUE or UNKNOWN define=SET model=LP64,ILP32 prepare=default,none
// TRUE or UNKNOWN define=SEED model=ILP32,LP64 prepare=none,default
// TRUE or UNKNOWN define=BEGUN model=LP64 prepare=none
// TRUE or UNKNOWN define=STATE model=LP64,ILP32 prepare=default,none
// TRUE or UNKNOWN define=MESSAGE model=ILP32,LP64 prepare=none,default
// TRUE define=USED model=LP64 prepare=default,none
// TRUE define=STEADY model=LP64,ILP32 prepare=none,default
// TRUE or UNKNOWN define=PUT_BACK model=ILP32,LP64 prepare=default,none
// TRUE or UNKNOWN define=DESCRIPTORS model=LP64,ILP32 prepare=none,default
// TRUE or UNKNOWN define=LOCAL model=ILP32,LP64 prepare=default,none
// TRUE define=LOCALE model=LP64,ILP32 prepare=none,default
// What the environment was asked for before, or is computed of what the program told it, is no free choice the second time.
#define _GNU_SOURCE
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
extern void reach_error(void);

int main(void) {
#if defined FIRST
    srand((unsigned)time(NULL));
    if (getuid() == 7 && getpid() == 1234 && getenv("A") && !getenv("B") && rand() % 6 == 3) reach_error();
#elif defined PROCESS
    int process = getpid();
    if (process != getpid() || process <= 0) reach_error();
#elif defined USER
    unsigned user = getuid(), group = getgid();
    if (user != getuid() || group != getgid()) reach_error();
#elif defined VARIABLE
    if (getenv("HOME") && !getenv("HOME")) reach_error();
#elif defined SET
    if (setenv("HOME", "x", 1) == 0 && !getenv("HOME")) reach_error();
#elif defined SEED
    srand(5);
    int first = rand();
    srand(5);
    if (first != rand()) reach_error();
#elif defined BEGUN
    int first = rand();
    srand(1);
    if (first != rand()) reach_error();
#elif defined STATE
    unsigned state = 1;
    int first = rand_r(&state);
    state = 1;
    if (first != rand_r(&state)) reach_error();
#elif defined MESSAGE
    char *kept = strdup(strerror(2));
    if (strcmp(kept, strerror(2))) reach_error();
#elif defined USED
    clock_t before = clock(), after = clock();
    if (before >= 0 && after >= 0 && after < before) reach_error();
#elif defined STEADY
    struct timespec before, after, wanted = {1, 5}, rest = {0};
    if (clock_gettime(CLOCK_MONOTONIC, &before) || clock_gettime(CLOCK_MONOTONIC, &after)) return 0;
    if (after.tv_sec < before.tv_sec || (after.tv_sec == before.tv_sec && after.tv_nsec < before.tv_nsec)) reach_error();
    nanosleep(&wanted, &rest);
    if (rest.tv_sec == 1 && rest.tv_nsec > 5) reach_error();
#elif defined PUT_BACK
    if (ungetc('a', stdin) == 'a' && getchar() != 'a') reach_error();
    ungetc('a', stdin);
    if (getchar() != 'a') reach_error();
    char c = 'a';
    ungetc('a', stdin);
    if (scanf("%c", &c) == 1 && c != 'a') reach_error();
#elif defined DESCRIPTORS
    int one = open("a", O_RDONLY), two = open("b", O_RDONLY);
    if (one >= 0 && one == two) reach_error();
    if (fileno(stdin) != fileno(stdin) || isatty(0) != isatty(0)) reach_error();
    if (close(7) == 0 && close(7) == 0) reach_error();
#elif defined LOCAL
    time_t now = 951782400;
    struct tm one = *localtime(&now), two = *localtime(&now);
    if (one.tm_hour != two.tm_hour || one.tm_wday != two.tm_wday) reach_error();
#elif defined LOCALE
    char *name = setlocale(LC_ALL, "C");
    if (!name || name[0] != 'C') reach_error();
#endif
    return 0;
}
