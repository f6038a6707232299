/* What a harness of attack_contracts.py needs: random content, objects behind pointers, and calls that end.
   The harness defines `ct_constants`, the numbers in the program's text, and their number `ct_constant_count`. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static uint64_t ct_state = 88172645463325252ULL;

static uint64_t ct_bits(void) {
    ct_state ^= ct_state << 13;
    ct_state ^= ct_state >> 7;
    ct_state ^= ct_state << 17;
    return ct_state * 0x2545F4914F6CDD1DULL;
}

static long long ct_recent[8];

/* Small numbers, ends of types, the program's constants and their neighbours, numbers used before, any number. */
static long long ct_integer(void) {
    uint64_t kind = ct_bits() >> 59, bits = ct_bits() >> 3;
    long long made;
    if (kind < 10) made = (long long)(bits % 10) - (kind == 0 ? 9 : 0);
    else if (kind < 14) made = ct_recent[bits % 8] + (long long)(bits >> 8) % 3 - 1;
    else if (kind < 20) made = ct_constants[bits % ct_constant_count] + (long long)(bits >> 8) % 3 - 1;
    else if (kind < 24) made = (long long)(((uint64_t)1 << (bits % 64)) + (bits >> 8) % 3 - 1);
    else if (kind < 28) made = (long long)((bits >> 8) % ((uint64_t)1 << (1 + bits % 20)));
    else made = (long long)ct_bits();
    if (bits >> 20 & 1) made = kind & 1 ? made : (long long)(0 - (uint64_t)made);
    ct_recent[bits >> 40 & 7] = made;
    return made;
}

static double ct_float(void) {
    union { uint64_t bits; double value; } any = {ct_bits()};
    switch (ct_bits() >> 62) {
    case 0: return any.value;
    case 1: return (double)ct_integer() / 4;
    default: return (double)ct_integer();
    }
}

/* The objects behind pointers: `size` bytes of `room`. The rest of the room must never change. */
enum { CT_ROOM = 1024, CT_OBJECTS = 12 };
static _Alignas(16) unsigned char ct_rooms[CT_OBJECTS][CT_ROOM], ct_entry[CT_OBJECTS][CT_ROOM];
static size_t ct_sizes[CT_OBJECTS];

/* Global variables are objects too, behind the others. */
enum { CT_GLOBALS = 256 };
static unsigned char *ct_global[CT_GLOBALS], *ct_global_entry[CT_GLOBALS];
static size_t ct_global_size[CT_GLOBALS];
static int ct_global_count;

static void ct_is_global(volatile void *at, size_t size, unsigned char *entry) {
    if (ct_global_count == CT_GLOBALS) return;
    ct_global[ct_global_count] = (unsigned char *)at;
    ct_global_size[ct_global_count] = size;
    ct_global_entry[ct_global_count++] = entry;
}

static int ct_object(const volatile void *p) {
    const unsigned char *at = (const unsigned char *)p;
    if (at >= ct_rooms[0] && at < ct_rooms[CT_OBJECTS - 1] + CT_ROOM) return (int)((at - ct_rooms[0]) / CT_ROOM);
    for (int i = 0; i < ct_global_count; i++)
        if (at >= ct_global[i] && at < ct_global[i] + ct_global_size[i]) return CT_OBJECTS + i;
    return -1;
}
static unsigned char *ct_begin_of(int object) {
    return object < CT_OBJECTS ? ct_rooms[object] : ct_global[object - CT_OBJECTS];
}
static size_t ct_size_of(int object) {
    return object < CT_OBJECTS ? ct_sizes[object] : ct_global_size[object - CT_OBJECTS];
}

/* An element in an object that was made already, or in a global variable; null if it does not fit in there. */
static void *ct_elsewhere(int rooms, size_t element) {
    int any = (int)(ct_bits() % (unsigned)(rooms + ct_global_count));
    int object = any < rooms ? any : CT_OBJECTS + any - rooms;
    size_t at = ct_bits() % 3 * element;
    return at + element <= ct_size_of(object) ? ct_begin_of(object) + at : 0;
}

static int ct_valid(const volatile void *p, size_t count, size_t size) {
    int object = ct_object(p);
    if (object < 0) return count == 0 && p != 0;
    size_t from = (size_t)((const unsigned char *)p - ct_begin_of(object));
    return from <= ct_size_of(object) && count <= (ct_size_of(object) - from) / size;
}

/* Where the same bytes are as they were at entry. */
static const volatile void *ct_as_at_entry(const volatile void *p) {
    int object = ct_object(p);
    if (object < 0) return p;
    const unsigned char *entry = object < CT_OBJECTS ? ct_entry[object] : ct_global_entry[object - CT_OBJECTS];
    return entry + ((const volatile unsigned char *)p - ct_begin_of(object));
}

static int ct_string(const char *p) {
    int object = ct_object(p);
    if (object < 0) return 0;
    size_t from = (size_t)((const unsigned char *)p - ct_begin_of(object));
    return from < ct_size_of(object) && memchr(p, 0, ct_size_of(object) - from) != 0;
}

static sigjmp_buf ct_back, ct_try;
static volatile sig_atomic_t ct_running, ct_ticks, ct_trying;

/* What cannot be read at entry (behind null) keeps what it was. */
#define CT_TRY(...) \
    do { \
        ct_trying = 1; \
        if (!sigsetjmp(ct_try, 0)) { __VA_ARGS__; } \
        ct_trying = 0; \
    } while (0)

static void ct_leave(int why) {
    if (ct_trying) siglongjmp(ct_try, why);
    if (ct_running) siglongjmp(ct_back, why);
}
static void ct_tick(int number) {
    (void)number;
    if (++ct_ticks > 4) ct_leave(1);
}
static void ct_crash(int number) {
    ct_leave(2);
    signal(number, SIG_DFL);
}

/* What ends a run ends the call only: it does not return. */
void abort(void) { ct_leave(3); _exit(9); }
void exit(int status) { ct_leave(3); fflush(stdout); _exit(status); }
void __assert_fail(const char *a, const char *b, unsigned c, const char *d) { (void)a; (void)b; (void)c; (void)d; ct_leave(3); _exit(9); }
void reach_error(void) __attribute__((weak));
void reach_error(void) { ct_leave(3); _exit(9); }
#define CT_INPUT(name, type) \
    type __VERIFIER_nondet_##name(void) __attribute__((weak)); \
    type __VERIFIER_nondet_##name(void) { return (type)ct_integer(); }
CT_INPUT(int, int) CT_INPUT(uint, unsigned) CT_INPUT(long, long) CT_INPUT(ulong, unsigned long) CT_INPUT(char, char)
CT_INPUT(uchar, unsigned char) CT_INPUT(short, short) CT_INPUT(ushort, unsigned short) CT_INPUT(bool, _Bool)
void __VERIFIER_assume(int) __attribute__((weak));
void __VERIFIER_assume(int holds) { if (!holds) ct_leave(3); }

static void ct_begin(void) {
    static unsigned char stack[1 << 16];
    stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
    sigaltstack(&other, 0);
    struct sigaction act = {.sa_handler = ct_crash, .sa_flags = SA_NODEFER | SA_ONSTACK};
    for (int i = 0; i < 5; i++) sigaction((int[]){SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}[i], &act, 0);
    act.sa_handler = ct_tick;
    act.sa_flags = SA_NODEFER | SA_RESTART;
    sigaction(SIGALRM, &act, 0);
    struct itimerval every = {{0, 10000}, {0, 10000}};
    setitimer(ITIMER_REAL, &every, 0);
}

static void ct_show(const char *name, const void *at, size_t size) {
    printf(" %s=", name);
    if (size <= 8) {
        long long value = 0;
        memcpy(&value, at, size);
        if (size < 8 && value >> (size * 8 - 1) & 1) value -= 1LL << (size * 8);
        printf("%lld", value);
        return;
    }
    for (size_t i = 0; i < size && i < 64; i++) printf("%02x", ((const unsigned char *)at)[i]);
}

/* What may change is as it is now in the picture of the object at entry, so that the rest can be compared. */
static void ct_may_change(const volatile void *p, size_t length, unsigned char *now, unsigned char *before, size_t size) {
    const unsigned char *at = (const unsigned char *)p;
    if (at < now || at >= now + size) return;
    size_t from = (size_t)(at - now);
    memcpy(before + from, now + from, length < size - from ? length : size - from);
}
