// TRUE
extern void reach_error(void);
static int never;
int main(void) {
    int x = 1;
    if (never)
        __asm__("incl %0" : "+r"(x));
    if (x != 1)
        reach_error();
    return 0;
}
