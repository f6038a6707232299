/* Streams and files: C17 7.21.4, 7.21.5, 7.21.9, 7.21.10. Of the state of a stream it is known whether it is open;
   what reports or changes more is APPROXIMATED. */
#include "stream.h"

/* fopen, freopen, tmpfile: C17 7.21.5.3, 7.21.5.4, 7.21.4.3; fdopen: POSIX. */
void *fopen(const char *name, const char *mode) {
    read_text(name);
    read_text(mode);
    return opened_stream();
}

void *freopen(const char *name, const char *mode, void *stream) {
    use_stream(stream);
    if (name) read_text(name);
    read_text(mode);
    if (__cp_nondet_i1(INPUT)) return stream;
    mark_stream(stream, STREAM_CLOSED);
    failed();
    return NULL;
}

void *fdopen(int descriptor, const char *mode) {
    (void)descriptor;
    read_text(mode);
    return opened_stream();
}

void *tmpfile(void) { return opened_stream(); }

/* fclose: C17 7.21.5.1. The stream is closed even if that fails. */
int fclose(void *stream) {
    use_stream(stream);
    mark_stream(stream, STREAM_CLOSED);
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

/* open, close, unlink: POSIX. The first descriptor is any; others are none of those that are open: APPROXIMATED. */
int open(const char *name, int flags, ...) {
    static _Bool others;
    (void)flags;
    read_text(name);
    if (__cp_nondet_i1(INPUT)) return failed();
    unsigned any = others ? __cp_nondet_i32(APPROXIMATED) : __cp_nondet_i32(INPUT);
    others = 1;
    return (int)(any >> 1);
}

int close(int descriptor) {
    static _Bool called;
    static int last;
    _Bool again = called && descriptor == last;
    called = 1;
    last = descriptor;
    return again && __cp_nondet_i1(APPROXIMATED) ? failed() : again ? 0 : done_or_failure();
}

int unlink(const char *name) {
    read_text(name);
    return done_or_failure();
}

/* feof, ferror: C17 7.21.10.2, .3; not tied to what reads returned before. */
int feof(void *stream) {
    use_stream(stream);
    return __cp_nondet_i1(APPROXIMATED);
}

int ferror(void *stream) {
    use_stream(stream);
    return __cp_nondet_i1(APPROXIMATED);
}

/* clearerr: C17 7.21.10.1. */
void clearerr(void *stream) { use_stream(stream); }

/* fseek, ftell, rewind: C17 7.21.9. Bytes that are read again are arbitrary again. */
int fseek(void *stream, long offset, int origin) {
    use_stream(stream);
    (void)offset;
    (void)origin;
    return __cp_nondet_i1(APPROXIMATED) ? failed() : 0;
}

long ftell(void *stream) {
    use_stream(stream);
    long position = (long)ANY_WORD(APPROXIMATED);
    return position < 0 ? failed() : position;
}

void rewind(void *stream) {
    use_stream(stream);
    (void)__cp_nondet_i1(APPROXIMATED);
}

/* setbuf, setvbuf: C17 7.21.5.5, .6. The array's contents are indeterminate from then on (7.21.5.6p2). */
void setbuf(void *stream, char *buffer) {
    use_stream(stream);
    if (buffer) __cp_unsupported(0);
}

int setvbuf(void *stream, char *buffer, int mode, size_t size) {
    use_stream(stream);
    (void)mode;
    (void)size;
    if (buffer) __cp_unsupported(0);
    return done_or_failure();
}

/* fileno: POSIX. */
int fileno(void *stream) {
    use_stream(stream);
    return count_or_failure((int)__cp_nondet_i32(APPROXIMATED));
}
