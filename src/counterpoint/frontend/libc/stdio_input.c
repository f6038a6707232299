/* Input: C17 7.21.7, 7.21.8.1. Every byte read is arbitrary, also one that the program itself wrote to
   a file before; the end of input or an error may come at any byte. */
#include "stream.h"

#define END (-1)

/* One byte as unsigned char, or EOF. */
static int next_byte(void) { return at_end() ? END : read_byte(); }

/* getchar, getc, fgetc: C17 7.21.7.6, .5, .1, and the names that glibc's headers use. */
int getchar(void) { return next_byte(); }
int getchar_unlocked(void) { return next_byte(); }
int getc(void *stream) {
    use_stream(stream);
    return next_byte();
}
int fgetc(void *stream) {
    use_stream(stream);
    return next_byte();
}
int getc_unlocked(void *stream) {
    use_stream(stream);
    return next_byte();
}
int _IO_getc(void *stream) {
    use_stream(stream);
    return next_byte();
}

/* fgets: C17 7.21.7.2. At most size - 1 bytes up to a newline, and a terminator. Nothing is written
   when input ends before the first byte; after a read error the bytes are indeterminate. */
char *fgets(char *line, int size, void *stream) {
    use_stream(stream);
    if (size <= 0) return NULL;
    int n = 0;
    while (n < size - 1) {
        int c = next_byte();
        if (c == END) {
            if (n == 0 || __cp_nondet_i1(INPUT)) {
                ended();
                return NULL;
            }
            break;
        }
        line[n++] = (char)c;
        if (c == '\n') break;
    }
    line[n] = 0;
    return line;
}

/* gets: C99 7.19.7.7, removed in C11. No length limits what it writes. */
char *gets(char *line) {
    size_t n = 0;
    for (;;) {
        int c = next_byte();
        if (c == '\n') break;
        if (c == END) {
            if (n == 0 || __cp_nondet_i1(INPUT)) {
                ended();
                return NULL;
            }
            break;
        }
        line[n++] = (char)c;
    }
    line[n] = 0;
    return line;
}

/* One byte after the other: how many there are is not known, and no byte behind them may change. */
static void store_bytes(byte *to, size_t n) {
    for (size_t i = 0; i < n; i++) to[i] = read_byte();
}

/* fread: C17 7.21.8.1. An element that was read in part is indeterminate. */
size_t fread(void *elements, size_t size, size_t count, void *stream) {
    use_stream(stream);
    if (size == 0 || count == 0) return 0;
    size_t whole = clamp(ANY_WORD(INPUT), count);
    store_bytes(elements, whole * size);
    if (whole < count && __cp_nondet_i1(INPUT)) store_bytes((byte *)elements + whole * size, size);
    if (whole < count) ended();
    return whole;
}

/* read: POSIX; the number of bytes read, or -1. */
ssize_t read(int descriptor, void *data, size_t size) {
    (void)descriptor;
    if (__cp_nondet_i1(INPUT)) return failed();
    size_t n = clamp(ANY_WORD(INPUT), size);
    store_bytes(data, n);
    return (ssize_t)n;
}
