// TRUE
#include <assert.h>
int main(void) {
    int count = 0;
    for (int i = 0; i < 6; i++) {
        int j = 0;
        do {
            if (j > i)
                break;
            if ((i + j) % 2)
                continue;
            count++;
        } while (++j, j < 6);
        while (j-- > 0)
            if (j == 2)
                goto next;
    next:;
    }
    assert(count > 0);
    return 0;
}
