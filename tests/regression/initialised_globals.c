// TRUE model=ILP32,LP64
#include <assert.h>
struct entry { const char *name; int (*call)(int); int numbers[3]; };
static int twice(int n) { return 2 * n; }
static int zero;
static int *pointer = &zero;
struct entry table[] = {{"twice", twice, {1, 2}}, {.numbers = {[2] = 9}}};
int main(void) {
    assert(zero == 0 && *pointer == 0);
    assert(table[0].call(21) == 42);
    assert(table[0].numbers[2] == 0 && table[1].numbers[2] == 9);
    assert(table[1].name == 0);
    assert(sizeof table / sizeof *table == 2);
    return 0;
}
