/* Formatting into memory: C17 7.21.6.5, .6, .12, .13. Which text results is APPROXIMATED: any
   characters, of any number that the format could give, and a terminator within the bound. */
#include "kernel.h"

/* Writes as snprintf does with a text of some length; returns that length. Unbounded
   writing leaves the array when the text is too long for it. */
static int write_text(char *to, size_t size, _Bool bounded, const char *format) {
    read_text(format);
    int length = (int)(__cp_nondet_i32(APPROXIMATED) >> 1);
    size_t n = (size_t)length;
    if (bounded && size == 0) return length;
    if (bounded && n > size - 1) n = size - 1;
    __cp_havoc(to, n, APPROXIMATED);
    to[n] = 0;
    return length;
}

int sprintf(char *to, const char *format, ...) { return write_text(to, 0, 0, format); }
int snprintf(char *to, size_t size, const char *format, ...) { return write_text(to, size, 1, format); }

int vsprintf(char *to, const char *format, __builtin_va_list arguments) {
    (void)arguments;
    return write_text(to, 0, 0, format);
}

int vsnprintf(char *to, size_t size, const char *format, __builtin_va_list arguments) {
    (void)arguments;
    return write_text(to, size, 1, format);
}

/* glibc's fortified names; a text longer than the object ends the run there. */
int __sprintf_chk(char *to, int flag, size_t object_size, const char *format, ...) {
    (void)flag;
    int length = write_text(to, object_size, 1, format);
    if ((size_t)length >= object_size) __cp_stop(134);
    return length;
}

int __snprintf_chk(char *to, size_t size, int flag, size_t object_size, const char *format, ...) {
    (void)flag;
    if (object_size < size) __cp_stop(134);
    return write_text(to, size, 1, format);
}
