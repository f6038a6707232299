// UNKNOWN(UNSUPPORTED) model=ILP32,LP64 prepare=default,none engines=bmc
// TRUE define=ANY
// FALSE(unreach-call) define=INPUT
/* What sscanf makes of a given text is any value to the model: no violation hangs on it. */
#include <stdio.h>
extern void reach_error(void);
int main(void) {
    int x = 5, n;
#ifdef INPUT
    n = scanf("%d", &x);
    if (n == 1 && x == 9)
        reach_error();
#else
    n = sscanf("7", "%d", &x);
#ifdef ANY
    if (n > 1)
        reach_error();
#else
    if (n != 1 || x != 7)
        reach_error();
#endif
#endif
    return 0;
}
