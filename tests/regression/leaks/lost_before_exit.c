// FALSE(valid-memtrack) property=memory-safety define=OVERWRITTEN model=ILP32,LP64 prepare=default,none
// FALSE(valid-memtrack) property=memory-safety define=FRAME_GONE model=ILP32,LP64 prepare=none,default
// FALSE(valid-memtrack) property=memory-safety define=BLOCK_LEFT model=ILP32,LP64 prepare=default,none
// FALSE(valid-memtrack) property=memory-safety define=BLOCK_LEFT_BY_GOTO model=LP64 prepare=default,none
// FALSE(valid-memtrack) property=memory-safety define=AHEAD model=ILP32,LP64 prepare=none,default
// FALSE(valid-memtrack) property=memory-safety define=MAIN_RETURNS model=ILP32,LP64 prepare=default,none
// FALSE(valid-memtrack) property=memory-safety define=CYCLE model=LP64 prepare=none,default
#include <stdlib.h>
struct node {
    struct node *next;
};
static void frame(void) {
    char *p = malloc(4);
    p[0] = 1;
}
static void done(void) { exit(0); }
int main(void) {
#if defined OVERWRITTEN
    char *p = malloc(4);
    p = 0;
#elif defined FRAME_GONE
    frame();
#elif defined BLOCK_LEFT
    {
        char *p = malloc(4);
        p[0] = 1;
    }
#elif defined BLOCK_LEFT_BY_GOTO
    {
        char *p = malloc(4);
        if (p)
            goto out;
        p[0] = 1;
    }
out:;
#elif defined AHEAD
    char *p = malloc(4);
    p += 5;
#elif defined MAIN_RETURNS
    char *p = malloc(4);
    p[0] = 1;
    return 0;
#else
    struct node *n = malloc(sizeof *n);
    n->next = n;
    n = 0;
#endif
    done();
    frame();
    return 0;
}
