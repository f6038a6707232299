// TRUE
// FALSE(unreach-call) define=KEPT
// FALSE(unreach-call) define=SET
// Where there is no such base it is open whether the end is told.
#include <errno.h>
#include <stdlib.h>
extern void reach_error(void);
int main(void) {
    char text[] = "12", *end = text + 1;
    long n = strtol(text, &end, 37);
    if (n != 0 || errno != EINVAL || (end != text && end != text + 1))
        reach_error();
#ifdef KEPT
    if (end == text)
        reach_error();
#elif defined SET
    if (end != text)
        reach_error();
#endif
    return strtoul(text, 0, 1) != 0;
}
