/* What a run covers. New is: an edge of the control-flow graph in a new class of its count (1, 2, 3, 4-7, 8-15,
 * 16-31, 32-127, 128+), a new path between two consumed inputs, or a new pair of such paths. */
#include "runtime_search.h"

#define SEGMENT_BITS 18

u64 last_input_steps;

u8 coverage[1 << 16];
static u8 seen_classes[1 << 16];
static u32 touched[1 << 16], touched_count;
static u8 seen_segments[1 << SEGMENT_BITS];
u32 previous_block;
u32 feature_count, novel_edges, novel_segments, novel_position;
static u32 segment, last_segment;

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

/* Lean programs count no other blocks: called where such a cycle is left, so that it may be entered again. */
void __cp_rt_onward(void) { previous_block = 0; }

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
void end_segment(i32 site) {
    last_input_steps = steps_taken();
    meet_state(site);
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

void judge_coverage(void) {
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

void start_coverage(void) {
    segment = last_segment = novel_position = novel_edges = novel_segments = 0;
    last_input_steps = 0;
}
