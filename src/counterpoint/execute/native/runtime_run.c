/* One run: where it ends, what it consumes, and the kernel calls that are neither memory nor search. */
#include "runtime.h"

#define STEP_SLICE (1u << 20)

Input *run_inputs;
u32 run_input_count;
u8 *run_bytes;
u32 run_byte_count;
i32 run_detail;
u64 run_steps;
u32 run_invented;
i32 steps_left;
int replaying;
const char *assumed_checks = "";

static u64 steps_granted, steps_limit;
static void *resume[5];
static enum Outcome ended;

extern word stack_lowest;

#define MAX_LEFT_OUT (1u << 16)
static u8 left_out[MAX_LEFT_OUT];

int leave_out(u32 check) {
    if (check < MAX_LEFT_OUT) left_out[check] = 1;
    return check < MAX_LEFT_OUT;
}

/* Whether a run in which the check fails only ends. */
int is_assumed(u32 check) {
    if (check < MAX_LEFT_OUT && left_out[check]) return 1;
    for (u32 at = 0; assumed_checks[at]; at++) {
        u32 digit = (u32)(u8)assumed_checks[at];
        if (at == check >> 2) return ((digit <= '9' ? digit - '0' : digit - 'a' + 10) >> (check & 3)) & 1;
    }
    return 0;
}

void end_run(enum Outcome outcome, i32 detail) {
    if (outcome == VIOLATED && is_assumed((u32)detail)) {
        outcome = ASSUMPTION;
        detail = 0;
    }
    ended = outcome;
    run_detail = detail;
    __builtin_longjmp(resume, 1);
}

u64 steps_taken(void) { return steps_granted - (u64)(i64)steps_left; }

static void grant(void) {
    u64 rest = steps_limit - steps_granted;
    i32 slice = rest > STEP_SLICE ? STEP_SLICE : (i32)rest;
    steps_granted += (u64)slice;
    steps_left += slice;
}

void out_of_steps(void) {
    if (!replaying && search_is_over()) end_run(STEPS, 0);
    while (steps_left < 0 && steps_granted < steps_limit) grant();
    if (steps_left < 0 && !replaying && (steps_limit = search_extends(steps_limit)) > steps_granted) grant();
    if (steps_left < 0) end_run(STEPS, 0);
}

enum Outcome run_once(u64 step_limit) {
    memory_reset();
    run_input_count = run_byte_count = run_invented = previous_block = 0;
    steps_limit = step_limit;
    steps_granted = 0;
    steps_left = 0;
    grant();
    if (__builtin_setjmp(resume) == 0) {
        if (replaying) replay_external();
        __cp_main();
        ended = FINISHED;
    }
    run_steps = steps_taken();
    return ended;
}

void start_inputs(void) {
    run_inputs = reserve(0, MAX_RUN_INPUTS * sizeof(Input));
    run_bytes = reserve(0, MAX_RUN_BYTES);
}

/* ------------------------------------------------------------------ inputs */

static Input *record(i32 site, u32 bits, u64 low) {
    if (run_input_count >= MAX_RUN_INPUTS) end_run(INPUTS, 0);
    Input *input = &run_inputs[run_input_count++];
    input->site = site;
    input->bits = bits;
    input->low = low;
    input->high = 0;
    return input;
}

static u64 below(u64 value, u32 bits) { return bits >= 64 ? value : value & (((u64)1 << bits) - 1); }

static u64 finish_scalar(i32 site, u32 bits, u64 low, u64 *high) {
    low = below(low, bits);
    *high = bits <= 64 ? 0 : below(*high, bits - 64);
    record(site, bits, low)->high = *high;
    return low;
}

u64 input_scalar(i32 site, u32 bits, u64 *high) {
    u64 low = 0;
    if (!replaying)
        low = search_scalar(site, bits, high);
    else if (!replay_scalar(site, bits, &low, high))
        run_invented++;
    return finish_scalar(site, bits, low, high);
}

word input_pointer(i32 site, enum Pointer kind) {
    u64 high = 0, low = 0;
    word value = 0;
    if (replaying) {
        if (!replay_scalar(site, 8 * sizeof(word), &low, &high)) run_invented++;
        value = (word)low;
        if (value && kind != RAW_POINTER) value = kind == SHARED_POINTER ? claim_shared(value) : claim_own(value);
    } else if (!search_pointer(site, &value)) {
        /* memory safety: what is uninitialised points at nothing */
        value = kind == RAW_POINTER ? NOWHERE : kind == SHARED_POINTER ? search_shared(value) : next_own();
    }
    return (word)finish_scalar(site, 8 * sizeof(word), value, &high);
}

static void record_bytes(i32 site, u64 low, const u8 *bytes, word length) {
    if (length > MAX_RUN_BYTES - run_byte_count) end_run(INPUTS, 0);
    Input *input = record(site, 0, low);
    input->start = run_byte_count;
    input->length = (u32)length;
    memcpy(run_bytes + run_byte_count, bytes, length);
    run_byte_count += (u32)length;
}

static word used_length(const u8 *bytes, word size) {
    while (size >= 8) {
        u64 last;
        memcpy(&last, bytes + size - 8, 8);
        if (last) break;
        size -= 8;
    }
    while (size && !bytes[size - 1]) size--;
    return size;
}

void input_memory(i32 site, u8 *target, word size) {
    if (!replaying)
        search_memory(site, target, size);
    else if (!replay_memory(site, target, size))
        run_invented++;
    word length = used_length(target, size);
    charge(size);
    record_bytes(site, size, target, length);
}

/* Contents of the external region: `low` of the record is the offset there. All bytes: some may be chosen later. */
int input_external(u32 offset, u8 *target, u32 size) {
    int planned = search_external(offset, target, size);
    record_bytes(EXTERNAL_CONTENTS, offset, target, size);
    return planned;
}

/* ------------------------------------------------------------------ kernel calls */

u8 __cp_rt_wide[512] __attribute__((aligned(16)));

u64 __cp_rt_nondet(i32 site, u32 bits) {
    u64 high = 0;
    return input_scalar(site, bits, &high);
}

/* More than 64 bits: into __cp_rt_wide, one record per 128 bits. */
void __cp_rt_nondet_wide(i32 site, u32 bits) {
    if (bits > 8 * sizeof __cp_rt_wide) end_run(MEMORY, 0);
    for (u32 at = 0; at < bits; at += 128) {
        u64 high = 0;
        u64 low = input_scalar(site, bits - at > 128 ? 128 : bits - at, &high);
        memcpy(__cp_rt_wide + at / 8, &low, 8);
        memcpy(__cp_rt_wide + at / 8 + 8, &high, 8);
    }
}

u64 __cp_rt_nondet_float(i32 site, u32 bits) {
    u64 high = 0;
    if (replaying) return input_scalar(site, bits, &high);
    return finish_scalar(site, bits, search_float(site, bits), &high);
}

word __cp_rt_nondet_ptr(i32 site) { return input_pointer(site, OWN_POINTER); }

word __cp_rt_any_ptr(i32 site) { return input_pointer(site, RAW_POINTER); }

word __cp_rt_shared_ptr(i32 site) { return input_pointer(site, SHARED_POINTER); }

void __cp_rt_assume(u32 holds) {
    if (unlikely(!holds)) end_run(ASSUMPTION, 0);
}

void __cp_rt_check(u32 holds, i32 check) {
    if (unlikely(!holds)) end_run(VIOLATED, check);
}

void __cp_stop(i32 code) {
    (void)code;
    end_run(FINISHED, 0);
}

void __cp_unsupported(i32 site) { end_run(UNSUPPORTED, site); }

void __cp_rt_depth(void) {
    if (unlikely((word)__builtin_frame_address(0) < stack_lowest)) end_run(DEPTH, 0);
}

void __cp_rt_enter(u32 id) {
    __cp_rt_block(id);
    __cp_rt_depth();
}

/* ------------------------------------------------------------------ inputs from a queue */

typedef struct {
    i32 site;
    u32 first, last; /* indices into `queue`, + 1; 0: none left */
} SiteQueue;

Input *queue;
u32 queue_length, queue_byte_count;
u8 *queue_bytes;
static u32 *queue_next;
static SiteQueue sites[1 << 13];

static SiteQueue *queue_of(i32 site) {
    u32 at = (u32)site * 2654435761u >> 19;
    for (u32 tries = 0; tries < ARRAY_LENGTH(sites); tries++, at = (at + 1) % ARRAY_LENGTH(sites))
        if (!sites[at].last || sites[at].site == site) {
            sites[at].site = site;
            return &sites[at];
        }
    die("too many sites");
}

/* Room for `size` bytes, which lasts until more is asked for. */
static void *room(void *before, word *had, word size) {
    if (before && size <= *had) return before;
    *had = 2 * size + 4096;
    return reserve(0, *had);
}

/* From standard input: counts of records and bytes (32 bits each), what is to be at `more`, the records, the bytes.
 * 0: standard input has ended. */
int next_inputs(void *more, word size) {
    static word had_records, had_bytes;
    u32 counts[2];
    if (!read_some(counts, sizeof counts)) return 0;
    read_exactly(more, size);
    queue_length = counts[0];
    queue_byte_count = counts[1];
    queue = room(queue, &had_records, (word)queue_length * sizeof(Input));
    queue_bytes = room(queue_bytes, &had_bytes, queue_byte_count);
    read_exactly(queue, (word)queue_length * sizeof(Input));
    read_exactly(queue_bytes, queue_byte_count);
    return 1;
}

void load_inputs(void) {
    if (!next_inputs(0, 0)) die("inputs are incomplete");
}

/* What invalid reads give next: the rest of a record. */
static const Input *unread;
static u64 unread_at;

static void forget_sites(void) {
    for (u32 i = 0; i < ARRAY_LENGTH(sites); i++) sites[i].first = sites[i].last = 0;
}

void replay_start(void) {
    static word had;
    forget_sites();
    unread = 0;
    unread_at = 0;
    queue_next = room(queue_next, &had, (word)queue_length * sizeof(u32));
    for (u32 i = 0; i < queue_length; i++) {
        SiteQueue *site = queue_of(queue[i].site);
        if (site->last)
            queue_next[site->last - 1] = i + 1;
        else
            site->first = i + 1;
        queue_next[i] = 0;
        site->last = i + 1;
    }
}

/* Of a run with many inputs, those behind the last of their site that is not zero: a replay gives zero where there are no
 * more. The queue is lost. */
void leave_out_last_zeros(void) {
    if (run_input_count <= MANY_INPUTS) return;
    forget_sites();
    u32 first = run_input_count;
    for (u32 i = run_input_count; i-- > 0;) {
        const Input *input = &run_inputs[i];
        if (!queue_of(input->site)->last && input->bits && !input->low && !input->high) continue;
        queue_of(input->site)->last = 1;
        run_inputs[--first] = *input;
    }
    run_input_count -= first;
    memmove(run_inputs, run_inputs + first, run_input_count * sizeof(Input));
}

static Input *take(i32 site) {
    SiteQueue *of = queue_of(site);
    if (!of->first) return 0;
    Input *input = &queue[of->first - 1];
    of->first = queue_next[of->first - 1];
    return input;
}

/* What invalid reads give is one stream of bytes: preparations may cut an access into several, or make a copy one. */
static int take_unread(u8 *target, word size) {
    word done = 0;
    memset(target, 0, size);
    while (done < size && (unread || (unread = take(INVALID_READ)))) {
        u64 whole = unread->bits ? (unread->bits + 7) / 8 : unread->low;
        u64 given = unread->bits ? whole : unread->length;
        const u8 *from = unread->bits ? (const u8 *)&unread->low : queue_bytes + unread->start;
        word part = size - done < whole - unread_at ? size - done : (word)(whole - unread_at);
        if (unread_at < given)
            memcpy(target + done, from + unread_at, part < given - unread_at ? part : (word)(given - unread_at));
        done += part;
        unread_at += part;
        if (unread_at >= whole) unread = 0, unread_at = 0;
    }
    return done > 0;
}

/* A record of contents serves a scalar as well, and the other way round, by their bytes. */
int replay_scalar(i32 site, u32 bits, u64 *low, u64 *high) {
    if (site == INVALID_READ) {
        u8 bytes[16] = {0};
        int found = take_unread(bytes, (bits + 7) / 8);
        memcpy(low, bytes, 8);
        memcpy(high, bytes + 8, 8);
        return found;
    }
    const Input *input = take(site);
    if (!input) return 0;
    if (input->bits || !bits) {
        *low = input->low;
        *high = input->high;
    } else {
        u8 bytes[16] = {0};
        memcpy(bytes, queue_bytes + input->start, input->length > 16 ? 16 : input->length);
        memcpy(low, bytes, 8);
        memcpy(high, bytes + 8, 8);
    }
    return 1;
}

int replay_memory(i32 site, u8 *target, word size) {
    if (site == INVALID_READ) return take_unread(target, size);
    const Input *input = take(site);
    const u8 *from = 0;
    word length = 0;
    if (input && input->bits) {
        from = (const u8 *)&input->low;
        length = input->bits > 64 ? 16 : 8;
    } else if (input) {
        from = queue_bytes + input->start;
        length = input->length;
    }
    if (length > size) length = size;
    if (length) memcpy(target, from, length);
    memset(target + length, 0, size - length);
    return input != 0;
}

void replay_external(void) {
    for (u32 i = 0; i < queue_length; i++)
        if (queue[i].site == EXTERNAL_CONTENTS && !queue[i].bits) {
            write_external(queue[i].low, queue_bytes + queue[i].start, queue[i].length);
            record_bytes(EXTERNAL_CONTENTS, queue[i].low, queue_bytes + queue[i].start, queue[i].length);
        }
}
