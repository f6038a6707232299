// UNKNOWN(UNSUPPORTED) engines=bmc define=CHOSEN model=ILP32
// UNKNOWN(UNSUPPORTED) engines=bmc define=ORDERED property=memory-safety
// TRUE model=ILP32,LP64 prepare=default,none
// An attribute that the compiler does not know, and that changes what a program means, leaves it without an answer.
extern void reach_error(void);
static int real(int x) { return x + 1; }
static int (*resolve(void))(int) { return real; }
#ifdef CHOSEN
int chosen(int x) __attribute__((ifunc("resolve")));
#else
static int chosen(int x) { return resolve()(x); }
#endif
#ifdef ORDERED
struct __attribute__((scalar_storage_order("big-endian"))) number { int value; };
#else
struct number { int value; } __attribute__((unheard_of));
#endif
int main(void) {
    struct number n = {1};
    if (chosen(n.value) != 2 || *(char *)&n != 1) reach_error();
    return 0;
}
