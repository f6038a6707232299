// TRUE model=ILP32,LP64 prepare=default,none
/* Labels taken several times, differences of labels, a static table. */
#include <assert.h>
static int seen;
static void relative(int which) {
    static int distances[] = {&&second - &&first, &&third - &&first};
    void *to = &&first + distances[which];
    goto *to;
second:
    seen += 2;
third:
    seen++;
first:;
}
static int absolute(const int *code) {
    static const void *const steps[] = {&&add, &&add, &&twice, &&end};
    int result = 0;
    goto *steps[*code++];
add:
    result++;
    goto *steps[*code++];
twice:
    result *= 2;
    goto *steps[*code++];
end:
    return result;
}
int main(void) {
    relative(0);
    assert(seen == 3);
    relative(1);
    assert(seen == 4);
    assert(absolute((int[]){0, 1, 2, 0, 3}) == 5);
    return 0;
}
