// TRUE model=ILP32,LP64 prepare=default,none
// Symbols and sections that would be instructions of LLVM's, and a function's pointer among them.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

int quoted asm("a\" = global i32 5 ; ") = 3;
static int in_section __attribute__((section("\", align 1, section \"b"))) = 4;
static int called(int n) asm("@main() #90000 {");
static int called(int n) { return n + quoted; }

int main(void) {
    int (*table[2])(int) = {called, called};
    int k = __VERIFIER_nondet_int() & 1;
    if (table[k](in_section) != 7)
        reach_error();
    return 0;
}
