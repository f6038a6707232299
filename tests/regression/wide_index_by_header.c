// UNKNOWN model=ILP32 prepare=none
// UNKNOWN property=memory-safety model=ILP32 prepare=default
// FALSE(unreach-call) model=LP64 prepare=default
/* A cast in a macro of a header stands where its name does, as does the subscript behind it. */
#include "wide_index_by_header.h"
extern void reach_error(void);
static int rows[2][2];
int main(void) {
    long long far = 1LL << 32;
    CUT_BY_HEADER[0] = 5;
    if (rows[0][0] == 5)
        reach_error();
    return 0;
}
