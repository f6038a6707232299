/* Memory outside of the program: objects of 64 KiB, and the pointers found there (semantics/found.py). The first SHARED
 * objects may be found by several pointers, the others each by one.
 *
 * A word that is loaded as a pointer, from external memory or from where it was copied to, is null or the base of a
 * shared object; the run is none if it is another word that was there at the start. A search chooses pointers when a
 * word is used as one for the first time, if nothing has looked at it before.
 */
#include "runtime.h"

#define FILLED 256u /* bytes of an object that a search chooses */
#define WORD sizeof(word)
#define MAX_CARRIED 1024u

int external_used;
static u32 shared_count, own_count, own_written; /* given out; with contents in a replay */
static struct {
    u64 settled;           /* words that something has looked at or written, a bit for each */
    u32 record;            /* the input with its contents */
    u8 made, planned;
} object_of[EXTERNAL_OBJECTS]; /* of a search */

static struct {
    word at, value;
} carried[MAX_CARRIED]; /* words that are no pointers, where copies have brought them; by their addresses */
static u32 carried_count;

word external_shared(void) { return shared_count; }
word external_own(void) { return own_count > own_written ? own_count : own_written; }

static void use_shared(word number) {
    if (number >= shared_count) shared_count = (u32)number + 1;
    external_used = 1;
}

void external_reset(void) {
    if (!external_used) return;
    if (shared_count) forget_pages((void *)EXTERNAL_BASE, shared_count * EXTERNAL_SIZE);
    if (external_own()) forget_pages((void *)OWN_BASE, external_own() * EXTERNAL_SIZE);
    memset(object_of, 0, shared_count * sizeof object_of[0]);
    memset(object_of + SHARED, 0, own_count * sizeof object_of[0]);
    if (carried_count) memset(carried, 0, sizeof carried);
    shared_count = own_count = own_written = carried_count = 0;
    external_used = 0;
}

/* ------------------------------------------------------------------ objects */

static int is_base(word value) {
    return value - EXTERNAL_BASE < SHARED * EXTERNAL_SIZE && !(value % EXTERNAL_SIZE);
}

static word base_of(word number) { return EXTERNAL_BASE + number * EXTERNAL_SIZE; }

/* The object, its contents chosen the first time; for the search. */
static word make(word number) {
    if (!object_of[number].made) {
        object_of[number].made = 1;
        object_of[number].record = run_input_count;
        object_of[number].planned = (u8)input_external((u32)(number * EXTERNAL_SIZE), (u8 *)base_of(number), FILLED);
    }
    return base_of(number);
}

static word make_shared(word number) {
    if (number >= SHARED) number = SHARED - 1;
    use_shared(number);
    return make(number);
}

word search_shared(word planned) {
    if (is_base(planned)) return make_shared((planned - EXTERNAL_BASE) / EXTERNAL_SIZE);
    u32 number = 0;
    if (!planned && search_found(0, 0, shared_count, &number) && number) return make_shared(number - 1);
    return make_shared(shared_count);
}

word next_own(void) {
    if (own_count >= EXTERNAL_OBJECTS - SHARED) end_run(MEMORY, 0);
    external_used = 1;
    return make(SHARED + own_count++);
}

/* For replays: the address if it is that of an own object behind those given out before, else the next one's. */
word claim_own(word address) {
    word number = (address - EXTERNAL_BASE) / EXTERNAL_SIZE, next = SHARED + own_count;
    int fits = address - EXTERNAL_BASE < EXTERNAL_END - EXTERNAL_BASE && !(address % EXTERNAL_SIZE) && number >= next;
    if (!fits) number = next;
    if (number >= EXTERNAL_OBJECTS) end_run(MEMORY, 0);
    own_count = (u32)(number - SHARED) + 1;
    external_used = 1;
    return base_of(number);
}

word claim_shared(word address) {
    word number = is_base(address) ? (address - EXTERNAL_BASE) / EXTERNAL_SIZE : shared_count;
    if (number >= SHARED) number = SHARED - 1;
    use_shared(number);
    return base_of(number);
}

void write_external(u64 offset, const u8 *bytes, u32 length) {
    if (offset + length > (u64)EXTERNAL_OBJECTS * EXTERNAL_SIZE) return;
    memcpy((u8 *)EXTERNAL_BASE + offset, bytes, length);
    word last = (word)(offset + (length ? length - 1 : 0)) / EXTERNAL_SIZE;
    if (last < SHARED) {
        use_shared(last);
    } else {
        if (last - SHARED >= own_written) own_written = (u32)(last - SHARED) + 1;
        external_used = 1;
    }
}

/* ------------------------------------------------------------------ words that are no pointers */

/* Whether the value is an aligned word of external memory as it was at the start. */
static int was_there(word value) {
    for (u32 i = 0; i < run_input_count; i++) {
        const Input *input = &run_inputs[i];
        if (input->site != EXTERNAL_CONTENTS || input->bits) continue;
        for (u32 at = 0; at < input->length; at += WORD) {
            word found = 0;
            memcpy(&found, run_bytes + input->start + at, input->length - at < WORD ? input->length - at : WORD);
            if (found == value) return 1;
        }
    }
    return 0;
}

static int is_foreign(word value) { return value && !is_base(value) && was_there(value); }

static u32 slot_of(word address) {
    u32 at = (u32)(address ^ address >> 12) * 2654435761u >> 22;
    while (carried[at].at && carried[at].at != address) at = (at + 1) % MAX_CARRIED;
    return at;
}

static void carry(word address, word value) {
    u32 at = slot_of(address);
    if (!carried[at].at && ++carried_count > MAX_CARRIED / 2) end_run(MEMORY, 0);
    carried[at].at = address;
    carried[at].value = value;
}

/* After bytes were copied: words that are no pointers came with them. */
void external_copied(word target, word source, word size) {
    external_settle(source, size);
    external_settle(target, size);
    if (source - EXTERNAL_BASE < EXTERNAL_END - EXTERNAL_BASE) {
        for (word at = (source + WORD - 1) & ~(word)(WORD - 1); at + WORD <= source + size; at += WORD) {
            word value, to = target + (at - source);
            memcpy(&value, (void *)to, WORD);
            if (unlikely(is_foreign(value))) carry(to, value);
        }
    } else if (carried_count) {
        static word moved[MAX_CARRIED][2];
        u32 count = 0;
        for (u32 i = 0; i < MAX_CARRIED; i++)
            if (carried[i].at && size >= WORD && carried[i].at - source <= size - WORD) {
                moved[count][0] = target + (carried[i].at - source);
                moved[count++][1] = carried[i].value;
            }
        for (u32 i = 0; i < count; i++) carry(moved[i][0], moved[i][1]);
    }
}

/* A pointer was loaded from an object of the program. */
void pointer_loaded(word address) {
    word value;
    memcpy(&value, (void *)address, WORD);
    if (!replaying && is_base(value)) make_shared((value - EXTERNAL_BASE) / EXTERNAL_SIZE);
    if (likely(!carried_count)) return;
    u32 at = slot_of(address);
    if (carried[at].at && carried[at].value == value) end_run(ASSUMPTION, 0);
}

/* ------------------------------------------------------------------ accesses */

/* Words that are looked at or written: a search chooses them no more. */
void external_settle(word address, word size) {
    if (replaying || address - EXTERNAL_BASE >= EXTERNAL_OBJECTS * EXTERNAL_SIZE) return;
    for (word at = address & ~(word)(WORD - 1); at < address + size; at += WORD) {
        word inside = at % EXTERNAL_SIZE, number = (at - EXTERNAL_BASE) / EXTERNAL_SIZE;
        if (inside < FILLED)
            object_of[number].settled |= (u64)1 << inside / WORD;
        else if (number + 1 < EXTERNAL_OBJECTS)
            at += EXTERNAL_SIZE - inside - WORD;
        else
            break;
    }
}

/* The word is used as a pointer for the first time: the search may choose it. */
static void choose(word address) {
    word inside = address % EXTERNAL_SIZE, number = (address - EXTERNAL_BASE) / EXTERNAL_SIZE;
    if (inside >= FILLED || inside % WORD || !object_of[number].made) return;
    if (object_of[number].settled >> inside / WORD & 1) return;
    word value = *(word *)address;
    int good = !value || is_base(value);
    u32 chosen = 0;
    if (!search_found(value, object_of[number].planned && good, shared_count, &chosen)) return;
    value = chosen ? make_shared(chosen - 1) : 0;
    *(word *)address = value;
    memcpy(run_bytes + run_inputs[object_of[number].record].start + inside, &value, WORD);
}

void external_read(word address, word size, u32 pointer) {
    if (pointer && !replaying) choose(address);
    external_settle(address, size);
    if (!pointer) return;
    word value;
    memcpy(&value, (void *)address, WORD);
    if (!(address % WORD) && is_foreign(value)) end_run(ASSUMPTION, 0);
    if (!replaying && is_base(value)) make_shared((value - EXTERNAL_BASE) / EXTERNAL_SIZE);
}
