/* Unformatted output: C17 7.21.7. What is written goes nowhere; strings are read, so that an invalid one
   shows. Any call may fail as the standard allows. */
#include "stream.h"

/* Non-negative, or EOF. */
static int any_or_failure(void) { return count_or_failure((int)__cp_nondet_i32(INPUT)); }

/* The character as unsigned char, or EOF. */
static int written_or_failure(int c) { return __cp_nondet_i1(INPUT) ? failed() : (byte)c; }

/* puts: C17 7.21.7.9. */
int puts(const char *s) {
    read_text(s);
    return any_or_failure();
}

/* fputs: C17 7.21.7.4. */
int fputs(const char *s, void *stream) {
    use_stream(stream);
    read_text(s);
    return any_or_failure();
}

/* putchar, putc, fputc: C17 7.21.7.8, .7, .3, and the names that glibc's headers use. */
int putchar(int c) { return written_or_failure(c); }
int putchar_unlocked(int c) { return written_or_failure(c); }
int putc(int c, void *stream) {
    use_stream(stream);
    return written_or_failure(c);
}
int fputc(int c, void *stream) {
    use_stream(stream);
    return written_or_failure(c);
}
int putc_unlocked(int c, void *stream) {
    use_stream(stream);
    return written_or_failure(c);
}
int _IO_putc(int c, void *stream) {
    use_stream(stream);
    return written_or_failure(c);
}

/* fwrite: C17 7.21.8.2; the number of elements written, fewer on failure. */
size_t fwrite(const void *elements, size_t size, size_t count, void *stream) {
    use_stream(stream);
    if (size == 0 || count == 0) return 0;
#ifndef COUNTERPOINT_SKIP_OUTPUT
    const volatile byte *data = elements;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < size; j++) (void)data[i * size + j];
#else
    (void)elements;
#endif
    size_t written = clamp(ANY_WORD(INPUT), count);
    if (written < count) failed();
    return written;
}

/* write: POSIX; the number of bytes written, or -1. */
ssize_t write(int descriptor, const void *data, size_t size) {
    (void)descriptor;
#ifndef COUNTERPOINT_SKIP_OUTPUT
    const volatile byte *bytes = data;
    for (size_t i = 0; i < size; i++) (void)bytes[i];
#else
    (void)data;
#endif
    if (__cp_nondet_i1(INPUT)) return failed();
    return (ssize_t)clamp(ANY_WORD(INPUT), size);
}

/* perror: C17 7.21.10.4. */
void perror(const char *s) {
    if (s) read_text(s);
}

/* fflush: C17 7.21.5.2; null stands for all streams. */
int fflush(void *stream) {
    if (stream) use_stream(stream);
    return done_or_failure();
}
