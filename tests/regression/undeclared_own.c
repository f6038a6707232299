// TRUE model=ILP32,LP64 prepare=default,none
/* A function of the program that is named like one of the library, and is called before its definition. */
extern void reach_error(void);
int main(void) {
    if (index(3, 4) != 12)
        reach_error();
    return 0;
}
int index(int a, int b) { return a * b; }
