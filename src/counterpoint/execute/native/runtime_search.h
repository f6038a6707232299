/* What the parts of the search share. See runtime_search.c for the whole. */
#ifndef COUNTERPOINT_SEARCH_H
#define COUNTERPOINT_SEARCH_H

#include "runtime.h"

/* ------------------------------------------------------------------ randomness (runtime_values.c) */

extern u64 rng[2];

static inline u64 rnd(void) { /* xoroshiro128+ */
    u64 a = rng[0], b = rng[1], sum = a + b;
    b ^= a;
    rng[0] = (a << 24 | a >> 40) ^ b ^ b << 16;
    rng[1] = b << 37 | b >> 27;
    return sum;
}

static inline u32 upto(u32 n) { return (u32)((rnd() >> 32) * n >> 32); } /* below n */
static inline int chance(u32 percent) { return upto(100) < percent; }

static inline u64 mix(u64 x) { /* the finaliser of splitmix64 */
    x += 0x9e3779b97f4a7c15ull;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

static inline u64 cut(u64 value, u32 bits) { return bits >= 64 ? value : value & (((u64)1 << bits) - 1); }

/* ------------------------------------------------------------------ values (runtime_values.c) */

enum Profile {
    MIXED, TRUTH, DIGIT, SMALL, SIGNED, PROGRAM, BOUNDARY, UNIFORM, MAGNITUDE, FIXED, COUNTING, ZERO, ONE, EARLIER, FIRST,
    PROFILES
};

extern u64 run_key; /* what else a run's values depend on */
#define LONG_SIMPLE 5u /* long runs that begin with no earlier inputs */
void new_profile(u64 run, int is_long);
enum Profile profile_of(i32 site);
u64 value_of(enum Profile profile, i32 site, u32 bits);
u64 fresh(i32 site, u32 bits);
u64 fresh_float(i32 site, u32 bits);
void fresh_memory(i32 site, u8 *target, word size);

/* ------------------------------------------------------------------ coverage (runtime_coverage.c) */

extern u64 last_input_steps;  /* steps of the run when it consumed its last input */
extern u32 feature_count;     /* edges ever covered */
extern u32 novel_edges, novel_segments, novel_position; /* of the run; the last input before a new segment */
void start_coverage(void);
void end_segment(i32 site);
void judge_coverage(void);

/* ------------------------------------------------------------------ plans and the corpus (runtime_corpus.c) */

#define POOL_INPUTS (6u << 20)
#define POOL_BYTES (128u << 20)
#define EDIT_BYTES (1u << 20)

typedef struct {
    u32 first, length, useful; /* inputs in the pool; those up to `useful` reached something new */
    u32 edges;                 /* how many new edges it brought */
    u32 picked;
    u8 traced, failed;
} Entry;

extern Input *plan; /* of the run; contents of memory are in `pool_bytes` */
extern u32 plan_length, plan_at;
extern int shrinking; /* what is not planned is zero */
extern int exactly;   /* contents of memory are those of the plan */
extern Entry *corpus;
extern u32 corpus_count;
extern u8 *pool_bytes; /* POOL_BYTES of the corpus, then MAX_RUN_BYTES of one run, then EDIT_BYTES of edits */
void reserve_corpus(void);
void keep(void);
void keep_failed(void);
void adopt(void); /* the given inputs, if any, become the first entries */
extern u32 adopted;
void append(const Entry *entry, u32 from, u32 to);
void vary(void);
void print_kept(u32 most); /* those that failed, and others of the corpus, spread over it: a line "kept", then the inputs */
u32 copy_run(Input *target, u32 most); /* the run's inputs, their contents behind the pool; how many */

/* ------------------------------------------------------------------ contents of memory (runtime_contents.c) */

extern int contents_seen; /* some run that was kept had any */
void start_contents(void);
void start_edits(void);               /* of the next plan */
u8 *edit(Input *input, u32 room);     /* its contents in the plan, zeros behind them; 0: there is no room */
void change_contents(Input *input);

/* ------------------------------------------------------------------ guesses (runtime_guess.c) */

int plan_tracing(void);
void after_trace(void);

/* ------------------------------------------------------------------ states (runtime_states.c) */

extern int exploring; /* the run goes to a state that is known, and on from there */
void start_states(void);
void meet_state(i32 site);
int plan_exploring(u64 all_steps, u64 *limit);
void after_exploring(void);
int explored_value(i32 site, u32 bits, u64 *low);

/* ------------------------------------------------------------------ the search (runtime_search.c) */

extern u64 runs; /* made so far */

#endif
