// TRUE model=ILP32,LP64 prepare=default,none
// FALSE(unreach-call) define=BAD_ORDER model=ILP32,LP64 prepare=none,default
// FALSE(unreach-call) define=BAD_TABLE model=ILP32,LP64 prepare=default,none
// FALSE(unreach-call) define=BAD_LAST model=ILP32,LP64 prepare=none,default
// Constructors by priority; pointers in the sections that hold them run as well, whether mentioned or not.
extern void reach_error(void);
static int digits = 7;

static void add(int digit) { digits = digits * 10 + digit; }
static void one(void) { add(1); }
static void two(int argc) { add(argc > 0 ? 2 : 9); }
static void three(void) { add(3); }
static void six(void) {
#ifdef BAD_LAST
    if (digits == 7123455) reach_error();
#endif
}

__attribute__((constructor)) static int four(int argc, char **argv, char **envp) {
    add(4);
    return argc;
}
__attribute__((constructor(102))) static void two_first(void) { add(2); }
__attribute__((constructor(101))) static void one_first(void) { add(1); }
__attribute__((section(".init_array"))) void (*table[])(void) = {three, (void (*)(void))two};
__attribute__((section(".init_array.00050"), used)) static void (*const early)(void) = one;
__attribute__((section(".preinit_array"), used)) static void (*const earliest)(void) = three;
__attribute__((section(".fini_array"), used)) static void (*const finally)(void) = six;

int main(void) {
#ifdef BAD_ORDER
    if (digits == 73112324) reach_error();
#else
    if (digits != 73112324) reach_error();
#endif
#ifdef BAD_TABLE
    table[0]();
    if (digits % 10 == 3) reach_error();
#endif
    digits = 7123455;
    return 0;
}
