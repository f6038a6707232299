// TRUE
#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
int main(void) {
    assert(isdigit('7') && !isdigit('x') && toupper('q') == 'Q' && isspace('\t'));
    assert(abs(-4) == 4 && atoi("123") == 123);
    assert(strtol("-20 rest", 0, 10) == -20);
    return 0;
}
