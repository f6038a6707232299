/* The plan of a run: inputs that it takes where their sites match, from which it goes on with fresh values; and
 * the corpus of inputs that covered something new, from which plans are made. */
#include "runtime_search.h"

#define MAX_ENTRY_INPUTS 20000u
#define MAX_ENTRY_BYTES (1u << 20)
#define MAX_CORPUS (1u << 16)

/* ------------------------------------------------------------------ the plan of a run */

int shrinking, exactly;
Input *plan;
u32 plan_length, plan_at;
u8 *pool_bytes;

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
    u64 low;
    *high = 0;
    if (explored_value(site, bits, &low)) return low;
    low = fresh(site, bits > 64 ? 64 : bits);
    *high = bits > 64 ? (chance(30) ? rnd() : (u64)((i64)low >> 63)) : 0;
    return low;
}

u64 search_float(i32 site, u32 bits) {
    end_segment(site);
    const Input *input = planned(site, bits);
    if (input) return input->low;
    return shrinking ? 0 : fresh_float(site, bits);
}

int search_pointer(i32 site, word *value) {
    end_segment(site);
    const Input *input = planned(site, 8 * sizeof(word));
    *value = 0;
    if (input ? input->low == 0 : shrinking || chance(run_key & 2 ? 15 : 50)) return 1;
    if (input) *value = (word)input->low;
    return 0;
}

/* A word of external memory is used as a pointer for the first time, and nothing looked at it before. */
int search_found(word value, int is_planned, u32 known, u32 *number) {
    if (shrinking || (is_planned && !chance(value ? 3 : 15))) return 0;
    u32 kind = upto(run_key & 4 ? 4 : 8);
    *number = kind < 2 ? 0 : known && kind == 2 ? 1 + upto(known) : known + 1;
    return 1;
}

/* Contents in a plan are found by their place; a plan without them means zeros. */
int search_external(u32 offset, u8 *target, u32 size) {
    memset(target, 0, size);
    for (u32 at = 0; at < plan_length; at++)
        if (plan[at].site == EXTERNAL_CONTENTS && plan[at].low == offset) {
            memcpy(target, pool_bytes + plan[at].start, plan[at].length < size ? plan[at].length : size);
            return 1;
        }
    if (!shrinking && (!plan_length || chance(50))) fresh_memory(EXTERNAL_CONTENTS, target, size);
    return 0;
}

void search_memory(i32 site, u8 *target, word size) {
    const Input *input = planned(site, 0);
    memset(target, 0, size);
    if (input && (shrinking || exactly || chance(90)))
        memcpy(target, pool_bytes + input->start, input->length < size ? input->length : size);
    else if (!shrinking)
        fresh_memory(site, target, size);
}

/* ------------------------------------------------------------------ the corpus */

Entry *corpus;
u32 corpus_count;
static Input *pool;
static u32 pool_count, pool_byte_count;

static void add(Entry entry, const Input *inputs, const u8 *bytes, u32 byte_count) {
    if (corpus_count == MAX_CORPUS || pool_count + entry.length > POOL_INPUTS) return;
    if (byte_count > MAX_ENTRY_BYTES || pool_byte_count + byte_count > POOL_BYTES) return;
    entry.first = pool_count;
    corpus[corpus_count++] = entry;
    for (u32 i = 0; i < entry.length; i++) {
        Input input = inputs[i];
        if (!input.bits) {
            input.start += pool_byte_count;
            contents_seen |= input.low != 0 && input.site != EXTERNAL_CONTENTS;
        }
        pool[pool_count++] = input;
    }
    memcpy(pool_bytes + pool_byte_count, bytes, byte_count);
    pool_byte_count += byte_count;
}

u32 adopted;

/* The bytes of some of the given inputs, which then speak of these alone. */
static u8 *bytes_of(Input *inputs, u32 length, u32 *count) {
    u32 first = 0, end = 0, seen = 0;
    for (u32 i = 0; i < length; i++) {
        if (inputs[i].bits) continue;
        if (!seen++) first = inputs[i].start;
        end = inputs[i].start + inputs[i].length;
        inputs[i].start -= first;
    }
    *count = end - first;
    return queue_bytes + first;
}

void adopt(void) {
    for (u32 from = 0, to; from < queue_length; from = to + 1) {
        for (to = from; to < queue_length && queue[to].site != NEXT_SEQUENCE;) to++;
        u32 length = to - from > MAX_ENTRY_INPUTS ? MAX_ENTRY_INPUTS : to - from;
        u32 count;
        u8 *bytes = bytes_of(queue + from, length, &count);
        if (length) add((Entry){0, length, length, 1, 0, 0, 0}, queue + from, bytes, count);
    }
    adopted = corpus_count;
}

void keep(void) {
    u32 length = run_input_count > MAX_ENTRY_INPUTS ? MAX_ENTRY_INPUTS : run_input_count;
    u32 useful = novel_edges || novel_position > length ? length : novel_position;
    add((Entry){0, length, useful, novel_edges, 0, 0, 0}, run_inputs, run_bytes, run_byte_count);
}

void keep_failed(void) {
    u32 count = corpus_count;
    keep();
    if (corpus_count > count) corpus[count].failed = 1;
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

void append(const Entry *entry, u32 from, u32 to) {
    if (to > entry->length) to = entry->length;
    for (u32 i = from; i < to && plan_length < MAX_ENTRY_INPUTS; i++) plan[plan_length++] = pool[entry->first + i];
}

static void change(Input *input) {
    if (input->site == EXTERNAL_CONTENTS) return;
    if (!input->bits) {
        change_contents(input);
        return;
    }
    u32 bits = input->bits > 64 ? 64 : input->bits;
    switch (upto(6)) {
    case 0: input->low += 1 + upto(4); break;
    case 1: input->low -= 1 + upto(4); break;
    case 2: input->low ^= (u64)1 << upto(bits); break;
    default: input->low = value_of(MIXED, input->site, bits); break;
    }
    input->low = cut(input->low, bits);
}

/* One input of the plan; contents of memory, which are few among many scalars, more often than others. */
static Input *one_planned(void) {
    if (contents_seen && chance(40))
        for (u32 tries = 0; tries < 8; tries++) {
            Input *input = &plan[upto(plan_length)];
            if (!input->bits && input->low && input->site != EXTERNAL_CONTENTS) return input;
        }
    return &plan[upto(plan_length)];
}

void vary(void) {
    const Entry *entry = pick();
    u32 kind = upto(100);
    if (!entry->length || kind < 35) { /* its start, then something fresh */
        u32 end = chance(50) ? entry->useful : upto(entry->length + 1);
        append(entry, 0, end);
        if (chance(30) && plan_length) change(one_planned());
    } else if (kind < 65) {
        append(entry, 0, entry->length);
        for (u32 n = 1 + upto(1 + upto(4)); n--;) change(one_planned());
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

#define MAX_TOLD_INPUTS 1000u

static void print_entry(const Entry *entry) {
    if (entry->length > MAX_TOLD_INPUTS) return;
    print("kept\n");
    print_inputs(pool + entry->first, entry->length, pool_bytes);
}

void print_kept(u32 most) {
    for (u32 i = 0; i < corpus_count && most; i++)
        if (corpus[i].failed) print_entry(&corpus[i]);
    for (int edges = 1; edges >= 0; edges--) { /* first those that were new by an edge */
        u32 count = 0, at = 0, told = 0;
        for (u32 i = 0; i < corpus_count; i++) count += !corpus[i].edges == !edges;
        u32 wanted = most < count ? most : count;
        for (u32 i = 0; i < corpus_count; i++) {
            const Entry *entry = &corpus[i];
            if (!entry->edges != !edges) continue;
            if ((u64)at++ * wanted / count < told) continue;
            told++;
            print_entry(entry);
        }
        most -= wanted;
    }
}

void reserve_corpus(void) {
    corpus = reserve(0, MAX_CORPUS * sizeof(Entry));
    pool = reserve(0, POOL_INPUTS * sizeof(Input));
    pool_bytes = reserve(0, POOL_BYTES + MAX_RUN_BYTES + EDIT_BYTES);
    plan = reserve(0, MAX_RUN_INPUTS * sizeof(Input));
}

u32 copy_run(Input *target, u32 most) {
    u32 length = run_input_count < most ? run_input_count : most;
    memcpy(target, run_inputs, length * sizeof(Input));
    memcpy(pool_bytes + POOL_BYTES, run_bytes, run_byte_count);
    for (u32 i = 0; i < length; i++)
        if (!target[i].bits) target[i].start += POOL_BYTES;
    return length;
}
