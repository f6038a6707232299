// TRUE property=undefined model=ILP32,LP64 prepare=default,none
// FALSE(undefined) define=USED property=undefined model=ILP32,LP64 prepare=default,none
// FALSE(undefined) define=POINTED property=undefined model=ILP32,LP64 prepare=none,default
// FALSE(undefined) define=STRUCTURE property=undefined prepare=none
// FALSE(undefined) define=FEW property=undefined model=ILP32,LP64 prepare=none,default
// FALSE(unreach-call) define=ARBITRARY model=ILP32,LP64 prepare=default,none
// FALSE(unreach-call) define=IN_PLACE model=ILP32,LP64 prepare=none,default
// A function that ends without a value: its value is arbitrary, and using it is undefined.
extern void reach_error(void);

struct Pair { int a, b; } first, second;

static int sometimes(int x) {
    if (x) return x;
}

static int always(int x) { return x; }

static struct Pair pair(int x) {
    if (x == 1) return first;
    if (x == 2) return second;
}

static struct Pair built(int x) {
    if (x == 1) return first;
    if (x == 2) {
        struct Pair made = {3, 4};
        return made;
    }
}

int old_style();

int main(int argc, char **argv) {
    int (*functions[])(int) = {always, sometimes};
    sometimes(0);
    int x = sometimes(3) + functions[argc & 1](5) + pair(2).a + built(2).b;
#ifdef USED
    x += sometimes(0);
#elif defined POINTED
    x += functions[argc & 1](0);
#elif defined STRUCTURE
    x += pair(argc).a;
#elif defined FEW
    x += old_style(1);
#elif defined ARBITRARY
    if (sometimes(0) == 7 && sometimes(0) == 8) reach_error();
#elif defined IN_PLACE
    if (built(3).a == 77) reach_error();
#endif
    return x;
}

int old_style(int a, int b) { return a; }
