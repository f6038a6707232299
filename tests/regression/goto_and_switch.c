// TRUE
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int n = __VERIFIER_nondet_int(), path = 0;
    switch (n) {
    case -1:
        path = 1;
        break;
    case 4 ... 6:
        path = 2; /* falls through */
    case 9:
        path += 10;
        break;
    default:
        goto end;
    }
    assert(path == 1 || path == 10 || path == 12);
    if (path == 12)
        assert(n >= 4 && n <= 6);
end:
    if (n == 9)
        assert(path == 10);
    return 0;
}
