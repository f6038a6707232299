// TRUE model=ILP32,LP64 prepare=default,none
/* GNU vectors: lanes, addresses in lanes, vectors as numbers of their own size. */
#include <assert.h>
typedef __INTPTR_TYPE__ one __attribute__((vector_size(sizeof(__INTPTR_TYPE__))));
typedef int four __attribute__((vector_size(16)));
typedef short eight __attribute__((vector_size(16)));
static int object;
static one address(void) { return (one){(__INTPTR_TYPE__)&object}; }
int main(void) {
    assert((int *)address()[0] == &object);
    four a = {1, -2, 3, 4}, b = a * a - (a > 1);
    assert(b[0] == 1 && b[1] == 4 && b[2] == 10 && b[3] == 17);
    eight c = (eight)a;
    assert(c[0] == 1 && c[1] == 0 && c[2] == -2 && c[3] == -1);
    return 0;
}
