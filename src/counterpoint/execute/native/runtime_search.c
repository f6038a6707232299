/* Many runs, each with inputs from a plan: fresh ones by a profile (runtime_values.c), variations of earlier
 * inputs that covered something new (runtime_corpus.c), inputs that should decide a comparison (runtime_guess.c), or
 * inputs that led to a state of the statics, and on from there (runtime_states.c). Deterministic for a seed and a
 * number of runs; time only ends the search.
 */
#include "runtime_search.h"

u64 runs;

/* ------------------------------------------------------------------ levels of step limits */

#define LEVELS 8
#define LONG_LEVEL 3u
static const u64 level_limits[LEVELS] = {3000,     30000,     300000,     3000000,
                                         30000000, 300000000, 3000000000, 1000000000000};
static u64 level_spent[LEVELS];
static u32 level_runs[LEVELS], level_cut[LEVELS]; /* runs made, and runs that the level's limit ended */
static u32 level_dull[LEVELS];                    /* the last ones, each of which was ended and covered nothing new */
static u32 current_level;
static u64 deadline, total_steps, steps_counted;
static int inputs_seen; /* some run consumed one */
static int computed_on; /* some run, for half of its many steps, behind its last input */
static u64 last_new;    /* the number of the run that was kept last */
static u64 long_runs;   /* that were meant to be long */

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

#define DULL_RUNS 4u
#define DULL_STEPS 100000u
#define DULL_SHARE 4u
#define FIRST_DULL_SHARE 16u

/* What the level has had of the time; a dull one counts as if it had had more, so that longer runs have their turn, the
 * first long ones soon. That pays where some run has computed on when it had read its inputs. */
static u64 had(u32 level) {
    int dull = computed_on && level_dull[level] >= DULL_RUNS && level_dull[level] * level_limits[level] >= DULL_STEPS;
    return level_spent[level] * (!dull ? 1 : long_runs < LONG_SIMPLE ? FIRST_DULL_SHARE : DULL_SHARE);
}

/* The level that has had the least time, of those whose shorter runs were cut. */
static u32 next_level(void) {
    u32 best = 0;
    while (too_short(best)) best++;
    for (u32 level = best + 1; level < LEVELS && level_cut[level - 1]; level++) {
        u64 cost = level_runs[level] ? level_spent[level] / level_runs[level] : level_limits[level] / 2;
        if (had(level) + cost < had(best)) best = level;
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

#define OVERTIME 500u /* milliseconds; less than the time until this process is killed */
#define LONG_OVERTIME 300u

/* The first long runs, each of another kind, are all made where such runs come to an end, and what was found is shrunk,
 * even if that takes a little longer than the search may. */
static u64 overtime(void) {
    if (shrinking) return LONG_OVERTIME + OVERTIME;
    return long_runs < LONG_SIMPLE && level_cut[LONG_LEVEL] < level_runs[LONG_LEVEL] ? LONG_OVERTIME : 0;
}

int search_is_over(void) { return milliseconds() >= deadline + overtime(); }

/* A run that has consumed no input for most of its steps computes on: it goes on rather than being made again
 * with a higher limit, as long as such runs take no more than half of the time. The first few go on anyway. */
u64 search_extends(u64 limit) {
    u32 level = current_level;
    if (shrinking || exploring || level + 1 == LEVELS || limit >= arguments.steps) return limit;
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
#define SHRINK_MANY_STEPS 60000000u /* while that makes many values zero at once: to hand them on takes longer */
#define SHRINK_MANY 500u
#define SHRINK_SITES 8u

static Input *best; /* of the violation */
static u32 best_length, best_bytes;
static u64 best_steps, shrink_left;

static void keep_best(void) {
    best_length = copy_run(best, MAX_RUN_INPUTS);
    best_bytes = run_byte_count;
    best_steps = run_steps;
}

/* As if the best run had been the last. */
static void restore_best(void) {
    memcpy(run_inputs, best, best_length * sizeof(Input));
    memcpy(run_bytes, pool_bytes + POOL_BYTES, best_bytes);
    for (u32 i = 0; i < best_length; i++)
        if (!run_inputs[i].bits) run_inputs[i].start -= POOL_BYTES;
    run_input_count = best_length;
    run_byte_count = best_bytes;
    run_steps = best_steps;
}

static int is_zero(const Input *input) { return input->bits ? !input->low && !input->high : !input->length; }

/* The best inputs, those in [from, to) zero, of all sites or one: is that the same violation? */
static int still_violates(u32 from, u32 to, const i32 *site, i32 check) {
    memcpy(plan, best, best_length * sizeof(Input));
    plan_length = best_length;
    plan_at = 0;
    for (u32 i = from; i < to; i++) {
        if (site && plan[i].site != *site) continue;
        plan[i].high = 0; /* for contents: no bytes */
        if (plan[i].bits) plan[i].low = 0;
    }
    enum Outcome outcome = run_once(2 * best_steps + 1000);
    u64 cost = run_steps + best_length / 8 + 100;
    shrink_left -= cost < shrink_left && !search_is_over() ? cost : shrink_left;
    return outcome == VIOLATED && run_detail == check;
}

/* Zeros for all inputs of a site: where sites take turns in a loop, pieces of all inputs are of all sites. */
static void shrink_sites(i32 check) {
    i32 sites[SHRINK_SITES];
    u32 count = 0;
    for (u32 i = 0; i < best_length && count < SHRINK_SITES; i++) {
        u32 at = 0;
        while (at < count && sites[at] != best[i].site) at++;
        if (at == count && !is_zero(&best[i])) sites[count++] = best[i].site;
    }
    for (u32 at = 0; at < count && count > 1 && shrink_left; at++)
        if (still_violates(0, best_length, &sites[at], check)) keep_best();
}

/* Zeros instead of as many inputs as possible, first many at once; after it the best run seems to be the last. */
static void shrink(i32 check) {
    shrinking = 1;
    exploring = 0;
    keep_best();
    shrink_left = best_length > MANY_INPUTS ? SHRINK_MANY_STEPS : SHRINK_STEPS;
    if (best_length > MANY_INPUTS) shrink_sites(check);
    u32 tries = SHRINK_RUNS;
    for (u32 size = best_length; size && shrink_left; size = size == 1 ? 0 : (size + 1) / 2) {
        if (size < SHRINK_MANY && shrink_left > SHRINK_STEPS) shrink_left = SHRINK_STEPS;
        for (u32 from = 0; from < best_length && shrink_left && tries; from += size) {
            u32 to = best_length - from < size ? best_length : from + size, zeros = from;
            while (zeros < to && is_zero(&best[zeros])) zeros++;
            if (zeros == to) continue;
            tries--;
            if (still_violates(from, to, 0, check)) keep_best();
        }
    }
    restore_best();
}

/* ------------------------------------------------------------------ the search */

static u64 outcome_counts[STRAYED + 1];
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
    start_edits();
    exactly = adopted && runs < adopted;
    int is_long = current_level >= LONG_LEVEL;
    new_profile(is_long ? long_runs : runs, is_long);
    long_runs += (u64)is_long;
    if (adopted && runs < (adopted > 4 ? adopted : 4)) { /* what was given, at first as it is */
        const Entry *entry = &corpus[runs % adopted];
        append(entry, 0, entry->length);
        return;
    }
    if (!corpus_count || (runs < 20 && !adopted) || (is_long && long_runs <= LONG_SIMPLE)) return;
    if ((runs % 16 == 0 || chance(50)) && plan_tracing()) return;
    if (chance(75)) vary();
}

static enum Outcome one_run(void) {
    current_level = next_level();
    steps_counted = 0;
    start_coverage();
    plan_length = plan_at = 0;
    u64 limit = 0;
    if (plan_exploring(total_steps, &limit)) {
        if (limit > arguments.steps) limit = arguments.steps;
    } else {
        plan_run();
        limit = limit_of(current_level);
    }
    enum Outcome outcome = run_once(limit);
    if (tracing) after_trace();
    runs++;
    total_steps += run_steps;
    if (exploring)
        after_exploring();
    else
        end_level(run_steps, outcome == STEPS);
    outcome_counts[outcome]++;
    if (run_input_count) inputs_seen = 1;
    if (run_input_count && run_steps >= DULL_STEPS && last_input_steps < run_steps / 2) computed_on = 1;
    if (outcome == UNSUPPORTED && !first_unsupported_set) {
        first_unsupported_set = 1;
        first_unsupported = run_detail;
    }
    judge_coverage();
    if (arguments.told && outcome == UNSUPPORTED && outcome_counts[UNSUPPORTED] == 1) novel_edges++; /* to be told */
    int is_new = novel_edges || novel_segments;
    if (!exploring) level_dull[current_level] = is_new || outcome != STEPS ? 0 : level_dull[current_level] + 1;
    if (outcome != CRASHED && outcome != VIOLATED && is_new) {
        if (outcome == STRAYED && novel_edges)
            keep_failed(); /* who knows of objects may see a violation in it */
        else
            keep();
        last_new = runs;
    }
    return outcome;
}

static void report_end(const char *why) {
    print_state(why);
    print("outcomes");
    for (u32 i = FINISHED; i <= STRAYED; i++) {
        print(" ");
        print_number(outcome_counts[i]);
    }
    print(" ");
    print_number(first_unsupported_set ? (u64)(u32)first_unsupported + 1 : 0);
    print("\n");
    print_kept((u32)arguments.told);
    print("end\n");
}

void search(void) {
    deadline = milliseconds() + arguments.milliseconds;
    u64 start = milliseconds(), next_report = 200, steps_at_check = 0;
    reserve_corpus();
    adopt();
    start_states();
    start_contents();
    best = reserve(0, MAX_RUN_INPUTS * sizeof(Input));
    rng[0] = mix(arguments.seed);
    rng[1] = mix(arguments.seed + 1) | 1;
    while (runs < arguments.runs && total_steps < arguments.total) {
        enum Outcome outcome = one_run();
        if (outcome == VIOLATED && arguments.onward && leave_out((u32)run_detail)) {
            arguments.onward--;
            keep_failed();
            last_new = runs;
        } else if (outcome == VIOLATED) {
            i32 check = run_detail;
            print_state("found");
            shrink(check);
            print("violated ");
            print_number((u64)check);
            print(" ");
            print_number(run_steps);
            print("\n");
            leave_out_last_zeros();
            print_inputs(run_inputs, run_input_count, run_bytes);
            print("end\n");
            return;
        }
        if (!inputs_seen && outcome != STEPS) {
            report_end("alone"); /* the only run there is has ended */
            return;
        }
        if (outcome == CRASHED && outcome_counts[CRASHED] > 1000) break;
        if (runs - last_new >= arguments.dull) {
            report_end("dull");
            return;
        }
        if (runs % 64 && total_steps - steps_at_check < 100000) continue;
        steps_at_check = total_steps;
        if (search_is_over()) break;
        u64 now = milliseconds() - start;
        if (now >= next_report) {
            next_report = now + 250;
            print_state("state");
        }
    }
    report_end("searched");
}
