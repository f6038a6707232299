/* Lines of any length: POSIX.1-2008 getline and getdelim. The block grows as in glibc: at least 120 bytes, then twice
   what was there. */
#include "stream.h"

#define END (-1)

static int next_byte(void) { return at_end() ? END : read_byte(); }

/* Room for `needed` bytes of which `used` are there; false if no memory is given. */
static _Bool reserve(char **line, size_t *size, size_t used, size_t needed) {
    if (*line && *size >= needed) return 1;
    size_t more = needed <= 120 ? 120 : 2 * *size < needed ? needed : 2 * *size;
    char *block = ALLOCATE(more);
    if (!block) return 0;
    for (size_t i = 0; i < used; i++) block[i] = (*line)[i];
    __cp_free(*line);
    *line = block;
    *size = more;
    return 1;
}

static ssize_t read_until(char **line, size_t *size, int delimiter, void *stream) {
    use_stream(stream);
    if (!line || !size) {
        *__errno_location() = EINVAL;
        return -1;
    }
    size_t used = 0;
    for (;;) {
        int c = next_byte();
        if (c == END && used == 0 && __cp_nondet_i1(INPUT)) reserve(line, size, 0, 1); /* as glibc does, musl does not */
        if (c == END && (used == 0 || __cp_nondet_i1(INPUT))) {
            ended();
            return -1;
        }
        if (c == END) break;
        if (!reserve(line, size, used, used + 2)) return -1;
        (*line)[used++] = (char)c;
        if (c == (byte)delimiter) break;
    }
    (*line)[used] = 0;
    return (ssize_t)used;
}

ssize_t getline(char **line, size_t *size, void *stream) { return read_until(line, size, '\n', stream); }
ssize_t getdelim(char **line, size_t *size, int delimiter, void *stream) {
    return read_until(line, size, delimiter, stream);
}
ssize_t __getdelim(char **line, size_t *size, int delimiter, void *stream) {
    return read_until(line, size, delimiter, stream);
}
