// TRUE property=unreach-call model=ILP32,LP64 prepare=none,default
// Where memory safety is not asked for, a write outside the object that the pointer belongs to changes nothing.
extern void reach_error(void);
int main(void) {
    char a[4] = {0}, b[4] = {0};
    long d = (long)b - (long)a;
    a[d] = 1;
    if (b[0] != 0)
        reach_error();
    return 0;
}
