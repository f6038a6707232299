// TRUE property=memory-safety model=ILP32,LP64 prepare=default,none
// FALSE(valid-memtrack) property=memory-safety define=LOST model=ILP32,LP64 prepare=none,default
// At exit() every frame is live: what its locals point into, or one past, is not lost.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct pair {
    int n;
    char *p;
};
union word {
    long n;
    char *p;
};
static char *kept_by_static;

static void done(char *given) {
    struct pair inner = {2, given};
    if (inner.p)
        exit(0);
}
static void hand_on(struct pair by_value) {
    done(malloc(1));
    by_value.p++;
}
int main(void) {
    kept_by_static = malloc(1);
    char *p = malloc(4);
    p++;
    char *past = (char *)malloc(4) + 4;
    char *several[2];
    several[1] = malloc(2);
    several[0] = several[1];
    union word u;
    u.n = 0;
    u.p = malloc(3);
    uintptr_t n = (uintptr_t)malloc(3);
    char bytes[sizeof(char *)];
    char *q = malloc(5);
    memcpy(bytes, &q, sizeof q);
    q = 0;
    char **list = malloc(sizeof(char *));
    *list = malloc(6);
#ifdef LOST
    *list = 0;
#endif
    hand_on((struct pair){1, malloc(7)});
    return n == (uintptr_t)p && past && bytes[0] && u.p && several[0];
}
