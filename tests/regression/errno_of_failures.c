// TRUE model=LP64,ILP32 prepare=default,none
// FALSE(unreach-call) entry=opened model=LP64,ILP32 prepare=none,default
#include <errno.h>
#include <stdio.h>

extern void reach_error(void);

int opened(void) {
    FILE *file = fopen("notes", "r");
    if (!file && errno == EACCES) reach_error();
    return 0;
}

int main(void) {
    FILE *file = fopen("notes", "r");
    if (!file && errno == 0) reach_error();
    return 0;
}
