/* Many runs, each with inputs from a plan: fresh ones by a profile, or variations of earlier inputs that
 * covered something new. Deterministic for a seed and a number of runs (time only ends the search).
 *
 * New is: an edge of the control-flow graph in a new class of its count (1, 2, 3, 4-7, 8-15, 16-31, 32-127,
 * 128+), a new path between two consumed inputs, or a new pair of such paths.
 */
#include "runtime.h"

#define MAX_ENTRY_INPUTS 20000u
#define MAX_ENTRY_BYTES (1u << 20)
#define MAX_CORPUS (1u << 16)
#define POOL_INPUTS (6u << 20)
#define POOL_BYTES (128u << 20)
#define SEGMENT_BITS 18

static u64 runs; /* made so far */

/* ------------------------------------------------------------------ randomness */

static u64 rng[2];

static u64 rnd(void) { /* xoroshiro128+ */
    u64 a = rng[0], b = rng[1], sum = a + b;
    b ^= a;
    rng[0] = (a << 24 | a >> 40) ^ b ^ b << 16;
    rng[1] = b << 37 | b >> 27;
    return sum;
}

static u32 upto(u32 n) { return (u32)((rnd() >> 32) * n >> 32); } /* below n */
static int chance(u32 percent) { return upto(100) < percent; }

static u64 mix(u64 x) { /* the finaliser of splitmix64 */
    x += 0x9e3779b97f4a7c15ull;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

/* ------------------------------------------------------------------ coverage */

static u64 last_input_steps; /* steps of the run when it consumed its last input */

u8 coverage[1 << 16];
static u8 seen_classes[1 << 16];
static u32 touched[1 << 16], touched_count;
static u8 seen_segments[1 << SEGMENT_BITS];
u32 previous_block;
static u32 feature_count, novel_position;
static u32 segment, last_segment;
static u32 novel_edges, novel_segments;

void __cp_rt_block(u32 id) {
    if (unlikely(--steps_left < 0)) out_of_steps();
    u32 at = (previous_block ^ id) & 0xffff;
    previous_block = id >> 1;
    segment = (segment ^ id) * 0x01000193u;
    u8 count = coverage[at];
    if (count == 0) touched[touched_count++] = at;
    coverage[at] = count + (count != 255);
}

/* A block of a cycle in which nothing changes: back in it at once, the run never leaves it again. */
void __cp_rt_endless(u32 id) {
    if (previous_block == id >> 1 && previous_block) end_run(STEPS, 0);
    __cp_rt_block(id);
}

/* A truth value that no branch tests by itself. */
void __cp_rt_truth(u32 holds, u32 id) {
    u32 at = (holds ? id : ~id) & 0xffff;
    if (coverage[at]) return;
    touched[touched_count++] = at;
    coverage[at] = 1;
}

static void new_segment(u32 hash) {
    u32 at = (hash * 2654435761u) >> (32 - SEGMENT_BITS);
    if (seen_segments[at]) return;
    seen_segments[at] = 1;
    novel_segments++;
    novel_position = run_input_count;
}

/* An input is about to be consumed: the path since the last one ends. */
static void end_segment(i32 site) {
    last_input_steps = steps_taken();
    u32 ended = (segment ^ (u32)site) * 0x85ebca6bu;
    new_segment(ended);
    new_segment(ended ^ (last_segment << 7 | last_segment >> 25) ^ 0x5bd1e995u);
    last_segment = ended;
    segment = 0;
}

static u8 class_of(u8 count) {
    if (count < 4) return (u8)(1 << (count - 1));
    if (count < 8) return 8;
    if (count < 16) return 16;
    if (count < 32) return 32;
    return count < 128 ? 64 : 128;
}

static void judge_coverage(void) {
    for (u32 i = 0; i < touched_count; i++) {
        u32 at = touched[i];
        u8 class = class_of(coverage[at]);
        if (!(seen_classes[at] & class)) {
            if (!seen_classes[at]) feature_count++;
            seen_classes[at] |= class;
            novel_edges++;
        }
        coverage[at] = 0;
    }
    touched_count = 0;
}

/* ------------------------------------------------------------------ comparisons */

#define MAX_COMPARISONS 1024u

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

/* ------------------------------------------------------------------ values */

enum Profile {
    MIXED, TRUTH, DIGIT, SMALL, SIGNED, PROGRAM, BOUNDARY, UNIFORM, MAGNITUDE, FIXED, COUNTING, ZERO, ONE, EARLIER,
    PROFILES
};

static u64 run_key;
static enum Profile run_profile;
static int profile_per_site;
static u32 counter;

static u64 cut(u64 value, u32 bits) { return bits >= 64 ? value : value & (((u64)1 << bits) - 1); }

static u64 boundary(u32 bits) {
    u64 top = (u64)1 << ((bits > 64 ? 64 : bits) - 1);
    switch (upto(8)) {
    case 0: return top;
    case 1: return top - 1;
    case 2: return (u64)-1;
    case 3: return top + 1;
    case 4: return (u64)-2;
    case 5: return ((u64)1 << upto(bits > 64 ? 64 : bits)) - 1;
    case 6: return -((u64)1 << upto(bits > 64 ? 64 : bits));
    default: return (u64)1 << upto(bits > 64 ? 64 : bits);
    }
}

static u64 program_constant(u32 bits) {
    if (!__cp_constant_count) return boundary(bits);
    u64 value = __cp_constants[upto((u32)__cp_constant_count)];
    switch (upto(8)) {
    case 0: return value + 1;
    case 1: return value - 1;
    case 2: return -value;
    default: return value;
    }
}

static u64 value_of(enum Profile profile, i32 site, u32 bits);

static u64 fixed(i32 site, u32 bits) {
    u64 key = mix(run_key ^ mix((u64)(u32)site)), saved[2] = {rng[0], rng[1]};
    rng[0] = key;
    rng[1] = mix(key) | 1;
    (void)rnd();
    static const enum Profile kinds[] = {TRUTH, DIGIT, SMALL, SIGNED, PROGRAM, PROGRAM, BOUNDARY, UNIFORM, MAGNITUDE};
    enum Profile kind = kinds[upto(ARRAY_LENGTH(kinds))];
    u64 value = value_of(kind, site, bits);
    rng[0] = saved[0];
    rng[1] = saved[1];
    return value;
}

static u64 value_of(enum Profile profile, i32 site, u32 bits) {
    switch (profile) {
    case TRUTH: return rnd() >> 63;
    case DIGIT: return upto(8);
    case SMALL: return rnd() >> (64 - 1 - run_key % 10);
    case SIGNED: return (u64)(i64)((i32)upto(21) - 10);
    case PROGRAM: return program_constant(bits);
    case BOUNDARY: return boundary(bits);
    case UNIFORM: return rnd();
    case MAGNITUDE: {
        u64 value = rnd() >> upto(64);
        return rnd() >> 63 ? value : -value;
    }
    case FIXED: return fixed(site, bits);
    case COUNTING: return counter++ + (run_key >> 32 & 1);
    case ZERO: return 0;
    case ONE: return 1;
    case EARLIER:
        if (run_input_count && chance(70)) {
            u32 back = 1 + upto(run_input_count < 4 ? run_input_count : 4);
            const Input *input = &run_inputs[run_input_count - back];
            if (input->bits) return input->low + (chance(30) ? (u64)(i64)((i32)upto(3) - 1) : 0);
        }
        return value_of(SMALL, site, bits);
    default: {
        static const enum Profile kinds[] = {TRUTH, DIGIT, DIGIT, SMALL, SMALL, SIGNED, PROGRAM, PROGRAM, BOUNDARY,
                                             UNIFORM, MAGNITUDE, EARLIER};
        return value_of(kinds[upto(ARRAY_LENGTH(kinds))], site, bits);
    }
    }
}

static enum Profile profile_of(i32 site) {
    if (!profile_per_site) return run_profile;
    return (enum Profile)(mix(run_key + (u64)(u32)site * 77) % PROFILES);
}

static u64 fresh(i32 site, u32 bits) {
    if (bits == 1) return profile_of(site) == FIXED ? fixed(site, 1) : rnd() >> 63;
    return cut(value_of(profile_of(site), site, bits), bits);
}

/* ------------------------------------------------------------------ the plan of a run */

static int shrinking; /* what is not planned is zero */
static Input *plan; /* positions of memory inputs are in `pool_bytes` */
static u32 plan_length, plan_at;

static const Input *planned(i32 site, u32 bits) {
    for (u32 at = plan_at; at < plan_length && at < plan_at + 64; at++)
        if (plan[at].site == site && plan[at].bits == bits) {
            plan_at = at + 1;
            return &plan[at];
        }
    return 0;
}

u64 search_scalar(i32 site, u32 bits, u64 *high) {
    end_segment(site);
    const Input *input = planned(site, bits);
    if (input) {
        *high = input->high;
        return input->low;
    }
    if (shrinking) return 0;
    u64 low = fresh(site, bits > 64 ? 64 : bits);
    *high = bits > 64 ? (chance(30) ? rnd() : (u64)((i64)low >> 63)) : 0;
    return low;
}

static u64 bits_of_double(double value) {
    u64 bits;
    memcpy(&bits, &value, 8);
    return bits;
}

static u64 bits_of_float(float value) {
    u32 bits;
    memcpy(&bits, &value, 4);
    return bits;
}

u64 search_float(i32 site, u32 bits) {
    end_segment(site);
    const Input *input = planned(site, bits);
    if (input) return input->low;
    if (shrinking) return 0;
    if (bits != 32 && bits != 64) return rnd();
    double value;
    switch (upto(10)) {
    case 0: return rnd();
    case 1: { /* zeros, infinities, largest, denormal, a NaN */
        static const double special[] = {0.0, -0.0, __builtin_inf(), -__builtin_inf(), __builtin_nan(""),
                                         1.7976931348623157e308, 2.2250738585072014e-308, 5e-324};
        static const float single[] = {0.0f, -0.0f, __builtin_inff(), -__builtin_inff(), __builtin_nanf(""),
                                       3.40282347e38f, 1.17549435e-38f, 1e-45f};
        u32 which = upto(ARRAY_LENGTH(special));
        return bits == 32 ? bits_of_float(single[which]) : bits_of_double(special[which]);
    }
    case 2: case 3: value = (double)(i64)value_of(PROGRAM, site, 32); break;
    case 4: value = (double)(i32)rnd() / 2147483648.0; break;
    case 5: value = (double)(i32)rnd() / 65536.0; break;
    case 6: value = (double)(i32)upto(2001) / 100.0 - 10.0; break;
    case 7: value = (double)(i64)(i32)fixed(site, 32); break;
    default: value = (double)(i64)value_of(SIGNED, site, 32); break;
    }
    return bits == 32 ? bits_of_float((float)value) : bits_of_double(value);
}

int search_pointer(i32 site, word *value) {
    end_segment(site);
    const Input *input = planned(site, 8 * sizeof(word));
    *value = 0;
    if (input ? input->low == 0 : shrinking || chance(run_key & 2 ? 15 : 50)) return 1;
    return 0;
}

static u8 *pool_bytes;

void search_memory(i32 site, u8 *target, word size) {
    const Input *input = planned(site, 0);
    memset(target, 0, size);
    if (input && (shrinking || chance(90))) {
        memcpy(target, pool_bytes + input->start, input->length < size ? input->length : size);
        return;
    }
    word few = size < 1024 ? size : 1024;
    switch ((run_key ^ (u32)site) & 8 && !shrinking ? upto(10) : 0) {
    case 1: case 2: case 3: case 4: { /* 32-bit values, each by the profile */
        for (word at = 0; at + 4 <= few; at += 4) {
            u32 value = (u32)value_of(profile_of(site), site, 32);
            memcpy(target + at, &value, 4);
        }
        break;
    }
    case 5: case 6: { /* bytes, each by the profile; a text ends somewhere */
        word end = upto((u32)few + 1);
        for (word at = 0; at < end; at++) target[at] = (u8)value_of(profile_of(site), site, 8);
        break;
    }
    case 7: memset(target, (int)rnd(), few); break;
    case 8:
        for (word at = 0; at < few; at++) target[at] = (u8)rnd();
        break;
    case 9: {
        u32 value = (u32)value_of(MIXED, site, 32);
        for (word at = 0; at + 4 <= few; at += 4) memcpy(target + at, &value, 4);
        break;
    }
    default: break;
    }
}

/* ------------------------------------------------------------------ the corpus */

typedef struct {
    u32 first, length, useful; /* inputs in the pool; those up to `useful` reached something new */
    u32 edges;                 /* how many new edges it brought */
    u32 picked;
    u64 steps;
    u8 traced;
} Entry;

static Entry *corpus;
static u32 corpus_count;
static Input *pool;
static u32 pool_count, pool_byte_count;

static void keep(void) {
    u32 length = run_input_count > MAX_ENTRY_INPUTS ? MAX_ENTRY_INPUTS : run_input_count;
    if (corpus_count == MAX_CORPUS || pool_count + length > POOL_INPUTS) return;
    if (run_byte_count > MAX_ENTRY_BYTES || pool_byte_count + run_byte_count > POOL_BYTES) return;
    Entry *entry = &corpus[corpus_count++];
    *entry = (Entry){pool_count, length, novel_position, novel_edges, 0, run_steps, 0};
    if (entry->useful > length || novel_edges) entry->useful = length;
    for (u32 i = 0; i < length; i++) {
        Input input = run_inputs[i];
        if (!input.bits) input.start += pool_byte_count;
        pool[pool_count++] = input;
    }
    memcpy(pool_bytes + pool_byte_count, run_bytes, run_byte_count);
    pool_byte_count += run_byte_count;
}

static Entry *pick(void) {
    u32 at;
    if (chance(40))
        at = corpus_count - 1 - upto(corpus_count < 8 ? corpus_count : (corpus_count + 7) / 8);
    else
        at = upto(corpus_count);
    for (u32 tries = 0; tries < 3; tries++) {
        u32 other = upto(corpus_count);
        const Entry *a = &corpus[at], *b = &corpus[other];
        if (b->edges && (!a->edges || b->picked < a->picked)) at = other;
        if (chance(50)) break;
    }
    corpus[at].picked++;
    return &corpus[at];
}

static void append(const Entry *entry, u32 from, u32 to) {
    if (to > entry->length) to = entry->length;
    for (u32 i = from; i < to && plan_length < MAX_ENTRY_INPUTS; i++) plan[plan_length++] = pool[entry->first + i];
}

static void change(Input *input) {
    if (!input->bits || input->site == EXTERNAL_CONTENTS) return;
    u32 bits = input->bits > 64 ? 64 : input->bits;
    switch (upto(6)) {
    case 0: input->low += 1 + upto(4); break;
    case 1: input->low -= 1 + upto(4); break;
    case 2: input->low ^= (u64)1 << upto(bits); break;
    default: input->low = value_of(MIXED, input->site, bits); break;
    }
    input->low = cut(input->low, bits);
}

static void vary(void) {
    const Entry *entry = pick();
    u32 kind = upto(100);
    if (!entry->length || kind < 35) { /* its start, then something fresh */
        u32 end = chance(50) ? entry->useful : upto(entry->length + 1);
        append(entry, 0, end);
        if (chance(30) && plan_length) change(&plan[upto(plan_length)]);
    } else if (kind < 65) {
        append(entry, 0, entry->length);
        for (u32 n = 1 + upto(1 + upto(4)); n--;) change(&plan[upto(plan_length)]);
    } else if (kind < 75) {
        append(entry, 0, entry->length);
        u32 rate = 1 + upto(50);
        for (u32 i = 0; i < plan_length; i++)
            if (chance(rate)) change(&plan[i]);
    } else if (kind < 85) { /* one start, another's end */
        append(entry, 0, upto(entry->length + 1));
        const Entry *other = pick();
        append(other, other->length ? upto(other->length) : 0, other->length);
    } else if (kind < 92) { /* one site has one value */
        append(entry, 0, entry->length);
        Input chosen = plan[upto(plan_length)];
        if (chance(70)) change(&chosen);
        for (u32 i = 0; i < plan_length; i++)
            if (plan[i].site == chosen.site && plan[i].bits == chosen.bits) plan[i] = chosen;
    } else { /* a piece is left out or repeated */
        u32 from = upto(entry->length), to = from + 1 + upto(1 + upto(8));
        append(entry, 0, kind < 96 ? from : to);
        append(entry, kind < 96 ? to : from, entry->length);
    }
}

/* ------------------------------------------------------------------ inputs that decide a comparison */

/* One traced run, the base; then one with each of its inputs greater by one. How an operand of a comparison
 * moves tells which value of the input would make both equal, if they depend on it linearly. Eclipser
 * (ICSE 2019) calls this grey-box concolic testing. */
#define MAX_BASE 200u
#define FEW_PROBES 24u
#define MAX_GUESSES 1024u

typedef struct {
    u32 position;
    u64 value;
} Guess;

static Input base[MAX_BASE];
static u32 base_length, probe_at, probe_count;
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

/* The contents of the base's memory inputs are kept behind the pool. */
static void keep_base(void) {
    base_length = run_input_count < MAX_BASE ? run_input_count : MAX_BASE;
    if (run_byte_count > MAX_ENTRY_BYTES) base_length = 0;
    memcpy(base, run_inputs, base_length * sizeof(Input));
    memcpy(pool_bytes + POOL_BYTES, run_bytes, base_length ? run_byte_count : 0);
    for (u32 i = 0; i < base_length; i++)
        if (!base[i].bits) base[i].start += POOL_BYTES;
    if (probe_count > base_length) probe_count = base_length;
    memcpy(base_comparisons, comparisons, comparison_count * sizeof(Comparison));
    base_comparison_count = comparison_count;
}

static void plan_base_inputs(void) {
    memcpy(plan, base, base_length * sizeof(Input));
    plan_length = base_length;
}

static void plan_probe(void) {
    tracing = 1;
    trace_kind = PROBE;
    comparison_count = 0;
    plan_base_inputs();
    plan[probe_at].low = cut(plan[probe_at].low + 1, plan[probe_at].bits);
}

static int can_be_probed(void) {
    while (probe_at < probe_count && (base[probe_at].bits <= 1 || base[probe_at].bits > 64)) probe_at++;
    return probe_at < probe_count;
}

static void guess(u32 position, u64 value) {
    if (guess_count < MAX_GUESSES) guesses[guess_count++] = (Guess){position, value};
}

static u64 inverse(u64 odd) { /* modulo 2^64, by Newton */
    u64 x = odd;
    for (int i = 0; i < 5; i++) x *= 2 - odd * x;
    return x;
}

/* A step of one moved left - right by `slope`; it should move by `wanted`. Signed, to the values on both
 * sides where it does not divide; and modulo the width. */
static void guess_linear(u32 position, u64 wanted, u64 slope, u32 bits) {
    u64 from = base[position].low;
    i64 far = (i64)(wanted << (64 - bits)) >> (64 - bits), step = (i64)(slope << (64 - bits)) >> (64 - bits);
    if (step == -1) far = (i64)(-(u64)far), step = 1;
    i64 times = far / step;
    guess(position, from + (u64)times);
    if (times * step != far) {
        guess(position, from + (u64)times + 1);
        guess(position, from + (u64)times - 1);
        u32 twos = (u32)__builtin_ctzll(slope);
        if (!(wanted & (((u64)1 << twos) - 1))) guess(position, from + (wanted >> twos) * inverse(slope >> twos));
    }
}

static void compare_with_base(void) {
    for (u32 i = 0; i < base_comparison_count && i < comparison_count; i++) {
        const Comparison *was = &base_comparisons[i], *is = &comparisons[i];
        if (was->at != is->at) return; /* another path from here on */
        u64 wanted = cut(was->right - was->left, was->bits);
        u64 slope = cut((is->left - is->right) - (was->left - was->right), was->bits);
        if (slope && wanted) guess_linear(probe_at, wanted, slope, was->bits);
    }
}

static void after_trace(void) {
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
    plan_base_inputs();
    Input *input = &plan[next->position];
    input->low = cut(next->value + (chance(20) ? (u64)(i64)((i32)upto(3) - 1) : 0), input->bits);
}

/* Half of the runs, while there is something to do. */
static int plan_tracing(void) {
    if (guess_at < guess_count) {
        plan_guess();
    } else if (can_be_probed()) {
        plan_probe();
    } else if (runs % 16 == 0) {
        plan_base();
    } else {
        return 0;
    }
    return 1;
}

/* ------------------------------------------------------------------ levels of step limits */

#define LEVELS 8
static const u64 level_limits[LEVELS] = {3000,     30000,     300000,     3000000,
                                         30000000, 300000000, 3000000000, 1000000000000};
static u64 level_spent[LEVELS];
static u32 level_runs[LEVELS], level_cut[LEVELS]; /* runs made, and runs that the level's limit ended */
static u32 current_level;
static u64 deadline, total_steps, steps_counted;
static int inputs_seen; /* some run consumed one */

static u64 limit_of(u32 level) {
    return level_limits[level] < arguments.steps ? level_limits[level] : arguments.steps;
}

/* Every run of the level is cut, where longer ones come to an end. */
static int too_short(u32 level) {
    if (level_runs[level] < 8 || level_cut[level] < level_runs[level]) return 0;
    for (u32 longer = level + 1; longer < LEVELS; longer++)
        if (level_cut[longer] < level_runs[longer]) return 1;
    return 0;
}

/* The level that has had the least time, of those whose shorter runs were cut. */
static u32 next_level(void) {
    u32 best = 0;
    while (too_short(best)) best++;
    for (u32 level = best + 1; level < LEVELS && level_cut[level - 1]; level++) {
        u64 cost = level_runs[level] ? level_spent[level] / level_runs[level] : level_limits[level] / 2;
        if (level_spent[level] + cost < level_spent[best]) best = level;
    }
    return best;
}

/* The run has taken `steps` by now and leaves its level, cut or not. */
static void end_level(u64 steps, int is_cut) {
    level_spent[current_level] += steps - steps_counted + 200;
    steps_counted = steps;
    level_runs[current_level]++;
    level_cut[current_level] += (u32)is_cut;
}

int search_is_over(void) { return milliseconds() >= deadline; }

/* A run that has consumed no input for most of its steps computes on: it goes on rather than being made again
 * with a higher limit, as long as such runs take no more than half of the time. The first few go on anyway. */
u64 search_extends(u64 limit) {
    u32 level = current_level;
    if (shrinking || level + 1 == LEVELS || limit >= arguments.steps) return limit;
    int computing = last_input_steps < limit / 2, alone = !inputs_seen && !run_input_count;
    int few = level < 3 && level_runs[level + 1] < (computing ? 4 : 1);
    u64 next = level_spent[level + 1];
    int fair = computing && next + level_limits[level + 1] / 2 < total_steps - next;
    if (!few && !alone && !fair) return limit;
    end_level(limit, 1);
    current_level = level + 1;
    return limit_of(current_level);
}

/* ------------------------------------------------------------------ smaller violations */

#define SHRINK_RUNS 2000u
#define SHRINK_STEPS 3000000u

static Input *best; /* of the violation; contents of memory are kept behind the pool */
static u32 best_length;
static u64 best_steps, shrink_left;

static void keep_best(void) {
    memcpy(best, run_inputs, run_input_count * sizeof(Input));
    memcpy(pool_bytes + POOL_BYTES, run_bytes, run_byte_count);
    best_length = run_input_count;
    best_steps = run_steps;
    for (u32 i = 0; i < best_length; i++)
        if (!best[i].bits) best[i].start += POOL_BYTES;
}

static int is_zero(const Input *input) { return input->bits ? !input->low && !input->high : !input->length; }

/* The best inputs, those in [from, to) zero: is that the same violation? */
static int still_violates(u32 from, u32 to, i32 check) {
    memcpy(plan, best, best_length * sizeof(Input));
    plan_length = best_length;
    plan_at = 0;
    for (u32 i = from; i < to; i++) {
        plan[i].high = 0; /* for contents: no bytes */
        if (plan[i].bits) plan[i].low = 0;
    }
    enum Outcome outcome = run_once(2 * best_steps + 1000);
    u64 cost = run_steps + best_length / 8 + 100;
    shrink_left -= cost < shrink_left ? cost : shrink_left;
    return outcome == VIOLATED && run_detail == check;
}

/* Zeros instead of as many inputs as possible, first many at once. The run that was made last is the best. */
static void shrink(i32 check) {
    shrinking = 1;
    shrink_left = SHRINK_STEPS;
    keep_best();
    u32 tries = SHRINK_RUNS;
    for (u32 size = best_length; size && shrink_left; size = size == 1 ? 0 : (size + 1) / 2)
        for (u32 from = 0; from < best_length && shrink_left && tries; from += size) {
            u32 to = best_length - from < size ? best_length : from + size, zeros = from;
            while (zeros < to && is_zero(&best[zeros])) zeros++;
            if (zeros == to) continue;
            tries--;
            if (still_violates(from, to, check)) keep_best();
        }
    still_violates(0, 0, check);
}

/* ------------------------------------------------------------------ the search */

static u64 outcome_counts[INPUTS + 1];
static u32 first_unsupported_set;
static i32 first_unsupported;

static void print_state(const char *word) {
    print(word);
    print(" ");
    print_number(runs);
    print(" ");
    print_number(total_steps);
    print(" ");
    print_number(feature_count);
    print(" ");
    print_number(corpus_count);
    print("\n");
    flush();
}

static void plan_run(void) {
    plan_length = plan_at = 0;
    run_key = rnd();
    counter = 0;
    profile_per_site = chance(40);
    run_profile = runs < 4 ? (enum Profile)(runs == 0 ? ZERO : runs == 1 ? ONE : runs == 2 ? COUNTING : TRUTH)
                           : (enum Profile)upto(PROFILES);
    if (runs < 4) profile_per_site = 0;
    if (!corpus_count || runs < 20) return;
    if ((runs % 16 == 0 || chance(50)) && plan_tracing()) return;
    if (chance(75)) vary();
}

static enum Outcome one_run(void) {
    current_level = next_level();
    last_input_steps = steps_counted = 0;
    segment = last_segment = novel_position = novel_edges = novel_segments = 0;
    plan_run();
    enum Outcome outcome = run_once(limit_of(current_level));
    if (tracing) after_trace();
    runs++;
    total_steps += run_steps;
    end_level(run_steps, outcome == STEPS);
    outcome_counts[outcome]++;
    if (run_input_count) inputs_seen = 1;
    if (outcome == UNSUPPORTED && !first_unsupported_set) {
        first_unsupported_set = 1;
        first_unsupported = run_detail;
    }
    judge_coverage();
    if (outcome != CRASHED && (novel_edges || novel_segments)) keep();
    return outcome;
}

static void reserve_tables(void) {
    corpus = reserve(0, MAX_CORPUS * sizeof(Entry));
    pool = reserve(0, POOL_INPUTS * sizeof(Input));
    pool_bytes = reserve(0, POOL_BYTES + MAX_RUN_BYTES);
    best = reserve(0, MAX_RUN_INPUTS * sizeof(Input));
    plan = reserve(0, MAX_RUN_INPUTS * sizeof(Input));
}

static void report_end(const char *why) {
    print_state(why);
    print("outcomes");
    for (u32 i = FINISHED; i <= INPUTS; i++) {
        print(" ");
        print_number(outcome_counts[i]);
    }
    print(" ");
    print_number(first_unsupported_set ? (u64)(u32)first_unsupported + 1 : 0);
    print("\nend\n");
}

void search(void) {
    deadline = milliseconds() + arguments.milliseconds;
    u64 start = milliseconds(), next_report = 200, steps_at_check = 0;
    reserve_tables();
    rng[0] = mix(arguments.seed);
    rng[1] = mix(arguments.seed + 1) | 1;
    while (runs < arguments.runs) {
        enum Outcome outcome = one_run();
        if (outcome == VIOLATED) {
            i32 check = run_detail;
            print_state("found");
            shrink(check);
            print("violated ");
            print_number((u64)check);
            print(" ");
            print_number(run_steps);
            print("\n");
            print_inputs();
            print("end\n");
            return;
        }
        if (!inputs_seen && outcome != STEPS) {
            report_end("alone"); /* the only run there is has ended */
            return;
        }
        if (outcome == CRASHED && outcome_counts[CRASHED] > 1000) break;
        if (runs % 64 && total_steps - steps_at_check < 100000) continue;
        steps_at_check = total_steps;
        u64 now = milliseconds() - start;
        if (now >= arguments.milliseconds) break;
        if (now >= next_report) {
            next_report = now + 250;
            print_state("state");
        }
    }
    report_end("searched");
}
