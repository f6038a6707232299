/* The kernel calls as plain C, so that the libc models run natively beside the real library.
   Arbitrary values come from a queue that a test fills, then from a fixed generator. */
#include "kernel.h"

_Noreturn void _exit(int code);

static unsigned long long queue[4096];
static unsigned queued, taken;
static unsigned long long state = 88172645463325252ULL;

int stub_approximated; /* arbitrary values taken for lack of a model since the last reset */
int stub_live;         /* heap blocks not freed */
int stub_bad_frees;    /* frees of what is no live block */

void stub_reset(void) { queued = taken = 0, stub_approximated = 0; }
void stub_queue(unsigned long long value) { queue[queued++] = value; }
unsigned stub_taken(void) { return taken; }

static unsigned long long next(unsigned site) {
    if (site == APPROXIMATED) stub_approximated++;
    if (taken < queued) return queue[taken++];
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

_Bool __cp_nondet_i1(unsigned site) { return next(site) & 1; }
unsigned char __cp_nondet_i8(unsigned site) { return (unsigned char)next(site); }
unsigned short __cp_nondet_i16(unsigned site) { return (unsigned short)next(site); }
unsigned int __cp_nondet_i32(unsigned site) { return (unsigned)next(site); }
unsigned long long __cp_nondet_i64(unsigned site) { return next(site); }
void *__cp_nondet_ptr(unsigned site) { return next(site) & 1 ? &state : NULL; }

double __cp_nondet_double(unsigned site) {
    union { unsigned long long word; double value; } bits = {.word = next(site)};
    return bits.value;
}

float __cp_nondet_float(unsigned site) {
    union { unsigned word; float value; } bits = {.word = (unsigned)next(site)};
    return bits.value;
}

void __cp_havoc(void *start, size_t size, unsigned site) {
    for (size_t i = 0; i < size; i++) ((byte *)start)[i] = (byte)next(site);
}

/* A heap that never reuses: each block behind its size and a mark of life. */
struct header { size_t size, live; };
static _Alignas(16) byte arena[1 << 24];
static size_t used;

void *__cp_allocate(size_t size, unsigned site) {
    (void)site;
    struct header *header = (struct header *)(arena + used);
    if (size > sizeof arena - used - 64) _exit(77);
    *header = (struct header){size, 1};
    used += sizeof *header + (size + 15) / 16 * 16 + 16;
    stub_live++;
    for (size_t i = 0; i < size; i++) ((byte *)(header + 1))[i] = 0xa5;
    return header + 1;
}

void *__cp_allocate_zeroed(size_t size, unsigned site) {
    byte *block = __cp_allocate(size, site);
    for (size_t i = 0; i < size; i++) block[i] = 0;
    return block;
}

void __cp_free(void *block) {
    if (!block) return;
    struct header *header = (struct header *)block - 1;
    if (!header->live) stub_bad_frees++;
    else stub_live--;
    header->live = 0;
}

void __cp_check_apart(void *to, const void *from, size_t n, unsigned check) { (void)to, (void)from, (void)n, (void)check; }
size_t __cp_object_size(const void *address) { return ((const struct header *)address)[-1].size; }

_Noreturn void __cp_stop(int code) { _exit(code & 0xff); }
_Noreturn void __cp_unsupported(unsigned site) { _exit(78 + (int)site); }
