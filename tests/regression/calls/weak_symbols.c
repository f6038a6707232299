// TRUE model=ILP32,LP64 prepare=default,none
// FALSE(unreach-call) define=OBJECT model=ILP32,LP64 prepare=none,default
// FALSE(unreach-call) define=PRESENT model=ILP32,LP64 prepare=default,none
// FALSE(unreach-call) define=FUNCTION model=ILP32,LP64 prepare=none,default
// FALSE(unreach-call) define=TABLE model=ILP32,LP64 prepare=default,none
// FALSE(unreach-call) define=OVERRIDDEN model=ILP32,LP64 prepare=none,default
// UNKNOWN(UNDEFINED) timeout=8 define=CALL model=ILP32,LP64 prepare=none,default
// FALSE(undefined) define=CALL property=undefined model=ILP32,LP64 prepare=default,none
// FALSE(valid-deref) define=CALL property=memory-safety model=ILP32,LP64 prepare=none,default
// FALSE(valid-deref) define=ACCESS property=memory-safety model=ILP32,LP64 prepare=default,none
// TRUE property=memory-safety model=ILP32,LP64 prepare=none,default
// Weak symbols that no file defines may be null; a weak definition is a definition.
extern void reach_error(void);
extern int number __attribute__((weak));
extern struct { int size; int data[4]; } block __attribute__((weak));
extern int function(int) __attribute__((weak));
extern int other(int) __attribute__((weak));
__attribute__((weak)) int defined(int x) { return x + 1; }
static int (*const table[2])(int) = {other, defined};
static struct { int (*const first)(int); int rest; } member = {function, 2};

int main(void) {
    if (&number != 0) {
        number = 4;
        if (number != 4) reach_error();
#ifdef PRESENT
        reach_error();
#endif
    } else {
#ifdef OBJECT
        reach_error();
#endif
    }
    if (function) {
        int (*pointer)(int) = function;
        function(3);
        pointer(4);
    } else {
#ifdef FUNCTION
        reach_error();
#endif
#ifdef CALL
        function(5);
#endif
    }
    if (table[0] != other || table[1] == 0) reach_error();
    if (table[0])
        table[0](1);
    else {
#ifdef TABLE
        reach_error();
#endif
    }
    if (&block)
        block.data[2] = 1;
    else {
#ifdef ACCESS
        block.data[2] = 1;
#endif
    }
    if (member.first != function) reach_error();
    member.rest = 3;
    int two = table[1](1);
#ifdef OVERRIDDEN
    if (two == 2) reach_error();
#endif
    if (two != 2) reach_error();
    return 0;
}
