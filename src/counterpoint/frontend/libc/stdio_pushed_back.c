/* ungetc: C17 7.21.7.10. What is read behind it may be the character that it put back: APPROXIMATED (stream.h). */
#include "stream.h"

_Bool __cp_pushed_back;

int ungetc(int c, void *stream) {
    use_stream(stream);
    if (c != -1) __cp_pushed_back = 1;
    return __cp_nondet_i1(APPROXIMATED) ? -1 : c == -1 ? -1 : (byte)c;
}
