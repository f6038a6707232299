// TRUE prepare=default,none define=NOTE
// UNKNOWN(UNSUPPORTED) model=LP64,ILP32 prepare=default,none define=FUNCTION
// UNKNOWN(UNSUPPORTED) model=LP64,ILP32 prepare=none,default define=OBJECT
// UNKNOWN(UNSUPPORTED) prepare=default,none define=SIGN
// FALSE(unreach-call) prepare=default,none define=FUNCTION asm=outputs-only
// Assembly outside of functions may define and rename what the program names; else it does nothing.
extern void reach_error(void);
int number = 3;
#ifdef FUNCTION
__asm__(".globl three\nthree: movl $3, %eax\nret");
int three(void);
#elif defined OBJECT
__asm__(".globl other\n.set other, number");
extern int other;
#elif defined SIGN
int a$b;
__asm__(".globl other\nother: movl $a$b, %eax\nret");
#else
__asm__("");
__asm__(".section .note.program,\"a\"\n.byte 1\n.previous");
#endif

int main(void) {
#ifdef FUNCTION
    if (three() != 3) reach_error();
#elif defined OBJECT
    other = 4;
    if (number != 3) reach_error();
#elif defined SIGN
    a$b = 1;
#else
    number++;
    if (number != 4) reach_error();
#endif
    return 0;
}
