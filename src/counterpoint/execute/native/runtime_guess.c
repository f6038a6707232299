/* One traced run, the base; then one with each of its inputs greater by one. How an operand of a comparison
 * moves tells which value of the input would make both equal, if they depend on it linearly. Eclipser
 * (ICSE 2019) calls this grey-box concolic testing. */
#include "runtime_search.h"

#define MAX_COMPARISONS 1024u
#define MAX_BASE 200u
#define FEW_PROBES 24u
#define MAX_GUESSES 1024u

/* ------------------------------------------------------------------ comparisons */

typedef struct {
    u64 left, right;
    const void *at;
    u32 bits;
} Comparison;

int tracing;
static Comparison comparisons[MAX_COMPARISONS];
static u32 comparison_count;

static void compared(u64 left, u64 right, u32 bits, const void *at) {
    if (comparison_count < MAX_COMPARISONS) comparisons[comparison_count++] = (Comparison){left, right, at, bits};
}
void __cp_rt_cmp8(u32 a, u32 b) {
    if (unlikely(tracing)) compared((u8)a, (u8)b, 8, __builtin_return_address(0));
}
void __cp_rt_cmp16(u32 a, u32 b) {
    if (unlikely(tracing)) compared((u16)a, (u16)b, 16, __builtin_return_address(0));
}
void __cp_rt_cmp32(u32 a, u32 b) {
    if (unlikely(tracing)) compared(a, b, 32, __builtin_return_address(0));
}
void __cp_rt_cmp64(u64 a, u64 b) {
    if (unlikely(tracing)) compared(a, b, 64, __builtin_return_address(0));
}

/* ------------------------------------------------------------------ the base and its probes */

typedef struct {
    u32 position, byte; /* of the base; which byte of the contents that it is, from 1, 0 of a scalar */
    u64 value;
} Guess;

#define MAX_PROBES 400u
#define MOST_BYTES 96u /* of all contents together, and FEWEST_BYTES of each */
#define FEWEST_BYTES 4u

static Input base[MAX_BASE];
static u32 base_length, probe_at, probe_count;
static Guess probes[MAX_PROBES];
static Comparison base_comparisons[MAX_COMPARISONS];
static u32 base_comparison_count;
static Guess guesses[MAX_GUESSES];
static u32 guess_count, guess_at;
static enum { NO_TRACE, BASE, PROBE } trace_kind;

/* An entry that was not traced yet, or a variation of any. */
static void plan_base(void) {
    tracing = 1;
    trace_kind = BASE;
    comparison_count = guess_count = guess_at = probe_at = probe_count = 0;
    for (u32 i = corpus_count; i-- > 0 && corpus_count - i < 64;) {
        Entry *entry = &corpus[i];
        if (entry->traced || entry->length == 0 || entry->length > MAX_BASE) continue;
        entry->traced = 1;
        append(entry, 0, entry->length);
        probe_count = MAX_BASE;
        return;
    }
    vary();
    probe_count = FEW_PROBES;
}

static void add_probe(u32 *count, u32 position, u32 byte, u64 value) {
    if (*count < MAX_PROBES) probes[(*count)++] = (Guess){position, byte, value};
}

static int has_bytes(const Input *input) { return !input->bits && input->low && input->site != EXTERNAL_CONTENTS; }

/* What is to be greater by one: scalars that are no truth values, then bytes of contents, some of each. */
static void list_probes(u32 inputs) {
    u32 count = 0, contents = 0;
    for (u32 i = 0; i < inputs; i++) {
        const Input *input = &base[i];
        if (input->bits > 1 && input->bits <= 64) add_probe(&count, i, 0, input->low);
        contents += (u32)has_bytes(input);
    }
    u32 most = contents ? MOST_BYTES / contents + FEWEST_BYTES : 0;
    for (u32 i = 0; i < inputs; i++) {
        const Input *input = &base[i];
        u64 end = !has_bytes(input) ? 0 : input->length + 2u < most ? input->length + 2u : most;
        for (u32 at = 0; at < end && at < input->low; at++)
            add_probe(&count, i, at + 1, at < input->length ? pool_bytes[input->start + at] : 0);
    }
    probe_count = count;
}

static void keep_base(void) {
    base_length = copy_run(base, MAX_BASE);
    list_probes(probe_count < base_length ? probe_count : base_length);
    memcpy(base_comparisons, comparisons, comparison_count * sizeof(Comparison));
    base_comparison_count = comparison_count;
}

static void plan_base_inputs(void) {
    memcpy(plan, base, base_length * sizeof(Input));
    plan_length = base_length;
}

static void plan_value(const Guess *planned, u64 value) {
    plan_base_inputs();
    Input *input = &plan[planned->position];
    if (!planned->byte) {
        input->low = cut(value, input->bits);
        return;
    }
    u8 *bytes = edit(input, planned->byte);
    if (bytes) bytes[planned->byte - 1] = (u8)value;
}

static void plan_probe(void) {
    tracing = 1;
    trace_kind = PROBE;
    comparison_count = 0;
    plan_value(&probes[probe_at], probes[probe_at].value + 1);
}

static void guess(const Guess *probe, u64 value) {
    if (guess_count < MAX_GUESSES) guesses[guess_count++] = (Guess){probe->position, probe->byte, value};
}

static u64 inverse(u64 odd) { /* modulo 2^64, by Newton */
    u64 x = odd;
    for (int i = 0; i < 5; i++) x *= 2 - odd * x;
    return x;
}

/* A step of one moved left - right by `slope`; it should move by `wanted`. Signed, to the values on both
 * sides where it does not divide; and modulo the width. */
static void guess_linear(const Guess *probe, u64 wanted, u64 slope, u32 bits) {
    u64 from = probe->value;
    i64 far = (i64)(wanted << (64 - bits)) >> (64 - bits), step = (i64)(slope << (64 - bits)) >> (64 - bits);
    if (step == -1) far = (i64)(-(u64)far), step = 1;
    i64 times = far / step;
    guess(probe, from + (u64)times);
    if (times * step != far) {
        guess(probe, from + (u64)times + 1);
        guess(probe, from + (u64)times - 1);
        u32 twos = (u32)__builtin_ctzll(slope);
        if (!(wanted & (((u64)1 << twos) - 1))) guess(probe, from + (wanted >> twos) * inverse(slope >> twos));
    }
}

static void compare_with_base(void) {
    for (u32 i = 0; i < base_comparison_count && i < comparison_count; i++) {
        const Comparison *was = &base_comparisons[i], *is = &comparisons[i];
        if (was->at != is->at) return; /* another path from here on */
        u64 wanted = cut(was->right - was->left, was->bits);
        u64 slope = cut((is->left - is->right) - (was->left - was->right), was->bits);
        if (slope && wanted) guess_linear(&probes[probe_at], wanted, slope, was->bits);
    }
}

void after_trace(void) {
    tracing = 0;
    if (trace_kind == BASE) {
        keep_base();
    } else {
        compare_with_base();
        probe_at++;
    }
}

static void plan_guess(void) {
    const Guess *next = &guesses[guess_at++];
    plan_value(next, next->value + (chance(20) ? (u64)(i64)((i32)upto(3) - 1) : 0));
}

/* Half of the runs, while there is something to do. */
int plan_tracing(void) {
    if (guess_at < guess_count) {
        plan_guess();
    } else if (probe_at < probe_count) {
        plan_probe();
    } else if (runs % 16 == 0) {
        plan_base();
    } else {
        return 0;
    }
    return 1;
}
