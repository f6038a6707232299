/* What a libc model may call: the kernel calls, whose meaning docs/kernel-calls.md gives. A model
   includes nothing else and calls no other public function, so that a program which defines, say,
   its own `strlen` changes no other model. (One exception: the address of errno.)

   The last argument of a kernel call is a literal here; the front end replaces it by the index of
   a site or check of its own. For an arbitrary value the literal says why it is arbitrary:
   INPUT         the environment chooses, every value of the stated range can occur;
   APPROXIMATED  the real function computes one certain value that is not modelled. A proof covers
                 it; a violation that hangs on it need not exist.
   A value out of the range is mapped into it rather than assumed away, so that a run on random
   values goes on. */
#ifndef COUNTERPOINT_KERNEL_H
#define COUNTERPOINT_KERNEL_H

#define NULL ((void *)0)
#define INPUT 0u
#define APPROXIMATED 1u

typedef __SIZE_TYPE__ size_t;
typedef __INTPTR_TYPE__ ssize_t;
typedef unsigned char byte;

_Bool __cp_nondet_i1(unsigned site);
unsigned char __cp_nondet_i8(unsigned site);
unsigned short __cp_nondet_i16(unsigned site);
unsigned int __cp_nondet_i32(unsigned site);
unsigned long long __cp_nondet_i64(unsigned site);
float __cp_nondet_float(unsigned site);
double __cp_nondet_double(unsigned site);
void *__cp_nondet_ptr(unsigned site);
void __cp_havoc(void *start, size_t size, unsigned site);

void *__cp_allocate(size_t size, unsigned site);
void *__cp_allocate_zeroed(size_t size, unsigned site);
void __cp_free(void *block);
void __cp_check_apart(void *to, const void *from, size_t n, unsigned check);
size_t __cp_object_size(const void *address);

_Noreturn void __cp_stop(int code);
_Noreturn void __cp_unsupported(unsigned site);

/* POSIX errno, through which strtol and friends report; defined in errno.c. */
int *__errno_location(void);
#define EINVAL 22
#define ENOMEM 12
#define ERANGE 34
#define LAST_ERROR 133

/* All values of a size type that a result may have: at most a limit. */
static inline size_t clamp(size_t any, size_t limit) { return any < limit ? any : limit; }

/* What a function returns that has failed. Where the program looks at errno, which the front end tells by
   COUNTERPOINT_ERRNO, that is any error then. */
static inline int failed(void) {
#ifdef COUNTERPOINT_ERRNO
    *__errno_location() = 1 + (int)clamp(__cp_nondet_i32(INPUT), LAST_ERROR - 1);
#endif
    return -1;
}

/* What ended may have failed, or was at its end. */
static inline void ended(void) {
#ifdef COUNTERPOINT_ERRNO
    if (__cp_nondet_i1(INPUT)) failed();
#endif
}

static inline int done_or_failure(void) { return __cp_nondet_i1(INPUT) ? failed() : 0; }

/* All values of a signed type that a result may have, and -1 for failure. */
static inline int count_or_failure(int any) { return any < 0 ? failed() : any; }

/* An arbitrary word as wide as size_t and long (the data models have no other). */
#if __SIZEOF_SIZE_T__ == 8
#define ANY_WORD(why) __cp_nondet_i64(why)
#else
#define ANY_WORD(why) __cp_nondet_i32(why)
#endif

/* A heap block of arbitrary or zero bytes, or null where the command's options say that there may be none:
   COUNTERPOINT_MALLOC_MAY_FAIL (--malloc-may-fail) and COUNTERPOINT_MALLOC_LIMIT (--malloc-limit). */
#ifdef COUNTERPOINT_MALLOC_LIMIT
#define TOO_LARGE(size) ((size) > __PTRDIFF_MAX__)
#else
#define TOO_LARGE(size) 0
#endif
#ifdef COUNTERPOINT_MALLOC_MAY_FAIL
#define REFUSED __cp_nondet_i1(INPUT)
#else
#define REFUSED 0
#endif
#define ALLOCATE(size) (TOO_LARGE(size) || REFUSED ? no_memory() : __cp_allocate(size, INPUT))
#define ALLOCATE_ZEROED(size) (TOO_LARGE(size) || REFUSED ? no_memory() : __cp_allocate_zeroed(size, INPUT))

static inline void *no_memory(void) {
    *__errno_location() = ENOMEM;
    return NULL;
}

/* Text that is only printed. Its characters matter only where an invalid read is an error; for
   other properties the front end defines COUNTERPOINT_SKIP_OUTPUT and saves the loop. */
static inline void read_text(const char *text) {
#ifndef COUNTERPOINT_SKIP_OUTPUT
    while (*text) text++;
#else
    (void)text;
#endif
}

#endif
