/* Streams: C17 7.21.3. A stream is an object whose first byte says whether it is open. A stream that fopen and its
   kin give lies outside the program; those that the environment opens are ours (stdio_standard.c). Using what is no
   open stream is an invalid access: of the stream itself if it is null or no object, else of null. Only where invalid
   accesses are errors is any of this looked at. */
#ifndef COUNTERPOINT_STREAM_H
#define COUNTERPOINT_STREAM_H

#include "kernel.h"

#define STREAM_OPEN 0xf1u
#define STREAM_CLOSED 0xf0u

static inline void use_stream(void *stream) {
#ifndef COUNTERPOINT_SKIP_OUTPUT
    const byte *nowhere = NULL;
    if (*(byte *)stream != STREAM_OPEN && *nowhere) return;
#else
    (void)stream;
#endif
}

static inline void mark_stream(void *stream, byte state) {
#ifndef COUNTERPOINT_SKIP_OUTPUT
    *(byte *)stream = state;
#else
    (void)stream;
    (void)state;
#endif
}

/* Whether the program called ungetc: what it reads from then on is APPROXIMATED. */
extern _Bool __cp_pushed_back;

/* A byte of the input. */
static inline byte read_byte(void) { return __cp_pushed_back ? __cp_nondet_i8(APPROXIMATED) : __cp_nondet_i8(INPUT); }

/* Whether the input ends, or cannot be read, here. */
static inline _Bool at_end(void) { return __cp_pushed_back ? __cp_nondet_i1(APPROXIMATED) : __cp_nondet_i1(INPUT); }

/* A new stream, or null. */
static inline void *opened_stream(void) {
    void *stream = __cp_nondet_ptr(INPUT);
    if (stream)
        mark_stream(stream, STREAM_OPEN);
    else
        failed();
    return stream;
}

#endif
