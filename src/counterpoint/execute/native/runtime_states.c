/* States of the program's static objects: those that were met where an input is consumed, each with the inputs that
 * led there. A program that reacts to one input after the other (a state machine) is explored state by state: from each
 * state with each of the values that ever led to a new one. Statics alone are compared, so a state may stand for
 * several; what is explored is then less, and what is found is a run all the same. */
#include "runtime_search.h"

#define MAX_STATES (1u << 19)
#define STATE_BYTES 4096u /* programs with more in static objects have too many states */
#define STATE_OBJECTS 512u
#define VALUES 24u
#define MAX_DEPTH 2000u
#define RUNS_BEFORE 2000u
#define STATES_BEFORE 16u

typedef struct {
    u64 hash;
    Input input; /* consumed in the state `parent` */
    u32 parent, depth, tried;
    u64 steps; /* taken when it was met */
} State;

int exploring;
static State *states;
static u32 *table, state_count; /* state 0: none */
static const GlobalObject *watched[STATE_OBJECTS];
static u32 watched_count;
static u32 current, cursor;
static u64 explored_steps;
static struct {
    i32 site;
    u32 bits;
    u64 value;
} values[VALUES];
static u32 value_count;

void start_states(void) {
    word bytes = 0;
    for (word i = 0; i < __cp_global_count; i++) {
        const GlobalObject *object = &__cp_globals[i];
        if (object->constant) continue;
        bytes += object->size;
        if (bytes > STATE_BYTES || watched_count == STATE_OBJECTS) {
            watched_count = 0;
            return;
        }
        watched[watched_count++] = object;
    }
    if (!watched_count) return;
    states = reserve(0, (MAX_STATES + 1) * sizeof(State));
    table = reserve(0, 2 * MAX_STATES * sizeof(u32));
}

static u64 state_hash(i32 site) {
    u64 hash = (u64)(u32)site + 1;
    for (u32 i = 0; i < watched_count; i++) {
        const u8 *at = (const u8 *)watched[i]->start;
        word size = watched[i]->size;
        for (u64 part; size >= 8; at += 8, size -= 8) {
            memcpy(&part, at, 8);
            hash = (hash ^ part) * 0x9e3779b97f4a7c15ull;
            hash ^= hash >> 29;
        }
        u64 rest = 0;
        memcpy(&rest, at, size);
        hash = (hash ^ rest) * 0x9e3779b97f4a7c15ull;
        hash ^= hash >> 29;
    }
    return hash | 1;
}

static void keep_value(const Input *input) {
    for (u32 i = 0; i < value_count; i++)
        if (values[i].value == input->low && values[i].bits == input->bits) return;
    if (value_count == VALUES) return;
    values[value_count].site = input->site;
    values[value_count].bits = input->bits;
    values[value_count++].value = input->low;
}

/* An input is about to be consumed. */
void meet_state(i32 site) {
    if (!states || shrinking) return;
    const Input *last = run_input_count ? &run_inputs[run_input_count - 1] : 0;
    if (last && (!current || !last->bits || last->bits > 64)) {
        current = 0; /* what led here cannot be told */
        return;
    }
    u64 hash = state_hash(site);
    u32 at = (u32)(hash >> 32) & (2 * MAX_STATES - 1);
    for (; table[at]; at = (at + 1) & (2 * MAX_STATES - 1))
        if (states[table[at]].hash == hash) {
            current = table[at];
            return;
        }
    if (state_count == MAX_STATES || (last && states[current].depth >= MAX_DEPTH)) {
        current = 0;
        return;
    }
    State *state = &states[++state_count];
    *state = (State){.hash = hash, .parent = last ? current : 0, .steps = steps_taken()};
    if (last) {
        state->input = *last;
        state->depth = states[current].depth + 1;
        keep_value(last);
    }
    current = table[at] = state_count;
}

static void plan_path(u32 to) {
    plan_length = states[to].depth;
    for (u32 i = plan_length; i--; to = states[to].parent) plan[i] = states[to].input;
}

/* A run that begins anew; whether it goes to a state and from there where nothing went before: `limit` are its steps. */
int plan_exploring(u64 all_steps, u64 *limit) {
    exploring = current = 0;
    if (runs < RUNS_BEFORE || state_count < STATES_BEFORE || !value_count) return 0;
    if (explored_steps > all_steps / 2) return 0;
    while (cursor < state_count && (!cursor || states[cursor].tried >= value_count)) cursor++;
    u32 from = chance(50) ? cursor : 1 + state_count / 2 + upto(state_count - state_count / 2);
    State *state = &states[from];
    if (state->tried >= value_count) state->tried = 0;
    plan_path(from);
    u32 which = state->tried++;
    plan[plan_length++] = (Input){.site = values[which].site, .bits = values[which].bits, .low = values[which].value};
    *limit = 3 * state->steps + 3000;
    exploring = 1;
    return 1;
}

void after_exploring(void) { explored_steps += run_steps; }

/* A value behind the plan, if one is to be taken that led on elsewhere. */
int explored_value(i32 site, u32 bits, u64 *low) {
    if (!exploring || !chance(90)) return 0;
    for (u32 tries = 0; tries < 4; tries++) {
        u32 which = upto(value_count);
        if (values[which].bits != bits || (tries < 3 && values[which].site != site)) continue;
        *low = values[which].value;
        return 1;
    }
    return 0;
}
