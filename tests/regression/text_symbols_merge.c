// TRUE model=ILP32,LP64 prepare=default,none
// FALSE(unreach-call) model=ILP32,LP64 prepare=default,none define=BUG
// Symbols with words of LLVM's language in them: no two of them are one.
extern void reach_error(void);

int one asm("a nsw b") = 1;
int two asm("a b") = 2;
int three asm("a$20$b") = 3;
int four asm("5") = 4;
int five asm("$35$") = 5;
int six asm("x, align 4") = 6;
int seven asm("a-b") = 7;
int eight asm("a\\\"b") = 8;

static int first(void) asm("first noundef ");
static int first(void) { return one; }
static int second(void) asm("first ");
static int second(void) { return two; }

int main(void) {
    two = 20;
    five = 50;
    if (first() != 1 || second() != 20 || three != 3 || four != 4 || five != 50 || six + seven + eight != 21)
        reach_error();
#ifdef BUG
    if (second() == 20 && one == 1)
        reach_error();
#endif
    return 0;
}
