/* Streams and files: C17 7.21.4, 7.21.5, 7.21.9, 7.21.10. A stream is null or an object outside the
   program. The state of a stream is not modelled, so what reports or changes it is APPROXIMATED. */
#include "kernel.h"

static int done_or_failure(void) { return __cp_nondet_i1(INPUT) ? -1 : 0; }

/* fopen, freopen, tmpfile: C17 7.21.5.3, 7.21.5.4, 7.21.4.3; fdopen: POSIX. */
void *fopen(const char *name, const char *mode) {
    read_text(name);
    read_text(mode);
    return __cp_nondet_ptr(INPUT);
}

void *freopen(const char *name, const char *mode, void *stream) {
    if (name) read_text(name);
    read_text(mode);
    return __cp_nondet_i1(INPUT) ? stream : NULL;
}

void *fdopen(int descriptor, const char *mode) {
    (void)descriptor;
    read_text(mode);
    return __cp_nondet_ptr(INPUT);
}

void *tmpfile(void) { return __cp_nondet_ptr(INPUT); }

/* fclose: C17 7.21.5.1. Use of a closed stream is not noticed. */
int fclose(void *stream) {
    (void)stream;
    return done_or_failure();
}

/* remove, rename: C17 7.21.4.1, 7.21.4.2. */
int remove(const char *name) {
    read_text(name);
    return done_or_failure();
}

int rename(const char *old, const char *new) {
    read_text(old);
    read_text(new);
    return done_or_failure();
}

/* open, close, unlink: POSIX. */
int open(const char *name, int flags, ...) {
    (void)flags;
    read_text(name);
    return count_or_failure((int)__cp_nondet_i32(INPUT));
}

int close(int descriptor) {
    (void)descriptor;
    return done_or_failure();
}

int unlink(const char *name) {
    read_text(name);
    return done_or_failure();
}

/* feof, ferror: C17 7.21.10.2, .3; not tied to what reads returned before. */
int feof(void *stream) {
    (void)stream;
    return __cp_nondet_i1(APPROXIMATED);
}

int ferror(void *stream) {
    (void)stream;
    return __cp_nondet_i1(APPROXIMATED);
}

/* clearerr: C17 7.21.10.1. */
void clearerr(void *stream) { (void)stream; }

/* ungetc: C17 7.21.7.10. Later reads do not know about the character. */
int ungetc(int c, void *stream) {
    (void)stream;
    return __cp_nondet_i1(APPROXIMATED) ? -1 : c == -1 ? -1 : (byte)c;
}

/* fseek, ftell, rewind: C17 7.21.9. Bytes that are read again are arbitrary again. */
int fseek(void *stream, long offset, int origin) {
    (void)stream;
    (void)offset;
    (void)origin;
    return __cp_nondet_i1(APPROXIMATED) ? -1 : 0;
}

long ftell(void *stream) {
    (void)stream;
    long position = (long)ANY_WORD(APPROXIMATED);
    return position < 0 ? -1 : position;
}

void rewind(void *stream) {
    (void)stream;
    (void)__cp_nondet_i1(APPROXIMATED);
}

/* setbuf, setvbuf: C17 7.21.5.5, .6. The array's contents are indeterminate from then on (7.21.5.6p2). */
void setbuf(void *stream, char *buffer) {
    (void)stream;
    if (buffer) __cp_unsupported(0);
}

int setvbuf(void *stream, char *buffer, int mode, size_t size) {
    (void)stream;
    (void)mode;
    (void)size;
    if (buffer) __cp_unsupported(0);
    return done_or_failure();
}

/* fileno: POSIX. */
int fileno(void *stream) {
    (void)stream;
    return count_or_failure((int)__cp_nondet_i32(INPUT));
}
