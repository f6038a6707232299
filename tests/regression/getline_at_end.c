// FALSE(valid-memtrack) property=memory-safety model=LP64 prepare=default,none
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    char *l=0;
    size_t n=0;
    if (getline(&l,&n,stdin)==-1) return 0;
    free(l);
    return 0;
}
