// TRUE
#include <assert.h>
int grid[3][4];
int main(void) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++)
            grid[i][j] = 10 * i + j;
    int (*row)[4] = grid + 1;
    assert((*row)[2] == 12);
    assert(*(*(grid + 2) + 3) == 23);
    assert(sizeof grid == 12 * sizeof(int));
    return 0;
}
