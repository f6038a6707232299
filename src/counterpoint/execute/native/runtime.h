/* Shared by the parts of the native runtime. Freestanding: no libc, own system calls.
 *
 * runtime_memory.c   objects, the bounds table, and what kernel calls do to memory
 * runtime_external.c memory outside of the program: its objects, and the pointers found there
 * runtime_run.c      one run: its end, its inputs (from a queue or from the search), the kernel calls
 * runtime_search.c   many runs, guided by coverage; runtime_{corpus,coverage,guess,states,values}.c are its parts
 * runtime_trials.c   many replays, of inputs that come while it runs
 * runtime_start.c    the start of the process, system calls, arguments, output
 * runtime_support.c  what the code generator calls by itself (division, memcpy, fmod)
 */
#ifndef COUNTERPOINT_RUNTIME_H
#define COUNTERPOINT_RUNTIME_H

typedef __UINT8_TYPE__ u8;
typedef __UINT16_TYPE__ u16;
typedef __UINT32_TYPE__ u32;
typedef __UINT64_TYPE__ u64;
typedef __INT32_TYPE__ i32;
typedef __INT64_TYPE__ i64;
typedef __UINTPTR_TYPE__ word;

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define ARRAY_LENGTH(a) (sizeof(a) / sizeof((a)[0]))

/* ------------------------------------------------------------------ inputs */

/* One consumed input. bits > 0: a scalar, its value in low and high. bits == 0: contents of memory,
 * `low` bytes of which the first `length` are at input_bytes + start and all others are zero. */
typedef struct {
    i32 site;
    u32 bits;
    u64 low;
    union {
        u64 high;
        struct {
            u32 start, length;
        };
    };
} Input;

#define MAX_RUN_INPUTS (1u << 21)
#define MANY_INPUTS 1000u /* portfolio/replay.py */
#define MAX_RUN_BYTES (64u << 20)

enum { INVALID_READ = -1, EXTERNAL_CONTENTS = -2, NEXT_SEQUENCE = -3, NOWHERE = 2048 /* program/external.py */ };

extern Input *run_inputs; /* of the current run, in the order of consumption */
extern u32 run_input_count;
extern u8 *run_bytes;
extern u32 run_byte_count;

/* ------------------------------------------------------------------ one run */

enum Outcome { RUNNING, FINISHED, VIOLATED, ASSUMPTION, UNSUPPORTED, STEPS, DEPTH, MEMORY, CRASHED, INPUTS, STRAYED };

extern i32 run_detail;      /* check of VIOLATED, site of UNSUPPORTED, signal of CRASHED */
extern u64 run_steps;       /* taken by the last run */
extern u32 run_invented;    /* replay: inputs that the queue did not have */
extern const char *assumed_checks; /* in hexadecimal digits, a bit for each check (runtime_start.c) */
int is_assumed(u32 check);
int leave_out(u32 check); /* from now on; 0: that is not possible */

enum Outcome run_once(u64 step_limit);
void end_run(enum Outcome outcome, i32 detail) __attribute__((noreturn));
void start_inputs(void);

/* Inputs for the kernel calls; each records what it gives. */
u64 input_scalar(i32 site, u32 bits, u64 *high);
enum Pointer { OWN_POINTER, RAW_POINTER, SHARED_POINTER };
word input_pointer(i32 site, enum Pointer kind); /* null or an external object; in a replay any bits if raw */
void input_memory(i32 site, u8 *target, word size);
int input_external(u32 offset, u8 *target, u32 size); /* whether they were planned */

/* Steps left; checked by hooks and charged by long memory operations. */
extern i32 steps_left;
void out_of_steps(void);
u64 steps_taken(void);
static inline void charge(word bytes) {
    steps_left -= (i32)(bytes >> 5 > 0x3fffffff ? 0x3fffffff : bytes >> 5);
    if (unlikely(steps_left < 0)) out_of_steps();
}

/* ------------------------------------------------------------------ the source of values */

extern int replaying;
extern Input *queue; /* the inputs that the process was given */
extern u32 queue_length, queue_byte_count;
extern u8 *queue_bytes;
void load_inputs(void);
int next_inputs(void *more, word size);
void replay_start(void);
int replay_scalar(i32 site, u32 bits, u64 *low, u64 *high);
int replay_memory(i32 site, u8 *target, word size);
void replay_external(void);
void leave_out_last_zeros(void);

void trials(void);

void search(void);
int search_is_over(void);
u64 search_extends(u64 limit); /* a new limit for the run that has reached `limit`; the same: it ends */
u64 search_scalar(i32 site, u32 bits, u64 *high);
u64 search_float(i32 site, u32 bits);
int search_pointer(i32 site, word *value); /* 0: an external object is wanted, the planned one if there is one */
int search_found(word planned, int is_planned, u32 known, u32 *number); /* 0: the word stays; else null or an object */
void search_memory(i32 site, u8 *target, word size);
int search_external(u32 offset, u8 *target, u32 size); /* whether they were planned */

void __cp_rt_block(u32 id);
extern int tracing; /* comparisons are recorded */
extern u8 coverage[1 << 16];
extern u32 previous_block; /* half the number of the block that was counted last; 0 at the start */

/* ------------------------------------------------------------------ memory */

void memory_start(void);
void memory_reset(void);
int in_external(word address, word size);

/* ------------------------------------------------------------------ external memory */

#if __SIZEOF_POINTER__ == 4
#define EXTERNAL_BASE 0xC0000000u
#define EXTERNAL_END 0xF0000000u
#else
#define EXTERNAL_BASE 0x700000000000ull
#define EXTERNAL_END 0x7F0000000000ull
#endif
#define EXTERNAL_SIZE 0x10000u
#define EXTERNAL_OBJECTS 1024u
#define SHARED 512u /* program/external.py */
#define OWN_BASE (EXTERNAL_BASE + SHARED * EXTERNAL_SIZE)

extern int external_used; /* some of it was given out, or has contents */
void external_reset(void);
word external_shared(void); /* objects given out */
word external_own(void);
word next_own(void);
word claim_own(word address);
word claim_shared(word address);
word search_shared(word planned);
void write_external(u64 offset, const u8 *bytes, u32 length);
void external_read(word address, word size, u32 pointer);
void external_settle(word address, word size);
void external_copied(word target, word source, word size);
void pointer_loaded(word address);

/* ------------------------------------------------------------------ the program under test (made by build.py) */

typedef struct {
    word start, size, constant;
} GlobalObject;

typedef struct {
    word start, offset, size;
} GlobalPart;

extern const GlobalObject __cp_globals[];
extern const GlobalPart __cp_global_parts[];
extern const word __cp_global_part_count;
extern const word __cp_global_count;
extern u8 __cp_data_begin[], __cp_data_end[], __cp_zero_begin[], __cp_zero_end[];
extern const u64 __cp_constants[];
extern const word __cp_constant_count;
extern const u64 __cp_float_constants[]; /* bits of doubles */
extern const word __cp_float_constant_count;
extern const u8 __cp_check_kinds[]; /* 1: memcleanup, 2: memtrack, 0: any other */
void __cp_main(void);

/* ------------------------------------------------------------------ the process */

typedef struct {
    u64 seed, milliseconds, runs, steps;
    u64 told, total; /* kept inputs to print after a search of `total` steps */
    u64 dull;        /* runs after the last new one at which the search ends */
    u64 onward;      /* so many checks that a run violates are left out from then on, before one ends the search */
} Arguments;
extern Arguments arguments;

void *reserve(word address, word size);
void forget_pages(void *start, word size);
u64 milliseconds(void);
void print(const char *text);
void print_number(u64 value);
void print_hex(u64 value);
void print_inputs(const Input *inputs, u32 count, const u8 *bytes);
void flush(void);
void read_exactly(void *target, word size);
int read_some(void *target, word size); /* 0: standard input has ended */
void die(const char *text) __attribute__((noreturn));

void *memcpy(void *, const void *, __SIZE_TYPE__);
void *memmove(void *, const void *, __SIZE_TYPE__);
void *memset(void *, int, __SIZE_TYPE__);
int memcmp(const void *, const void *, __SIZE_TYPE__);

#endif
