/* Many replays in one process, each of inputs that are handed to it while it runs: what shrinking tries.
 *
 * A trial is read as counts of records and bytes (32 bits each), the most steps that it may take, the check that it is to
 * violate, whether it is the last of a batch (64 bits each), the records, the bytes. A batch runs up to the first that
 * violates the check. Only when all of it is read comes the answer, so that neither side waits for the other to read:
 * a line with that trial's number in the batch, from 1, and its steps, its inputs, a line "end"; "none" if there is none.
 * Trials end with standard input.
 */
#include "runtime.h"

static void answer(u64 found) {
    if (found) {
        print_number(found);
        print(" ");
        print_number(run_steps);
        print("\n");
        print_inputs(run_inputs, run_input_count, run_bytes);
        print("end\n");
    } else {
        print("none\n");
    }
    flush();
}

void trials(void) {
    struct {
        u64 steps, check, last;
    } trial;
    u64 number = 0, found = 0;
    while (next_inputs(&trial, sizeof trial)) {
        number++;
        if (!found) {
            replay_start();
            if (run_once(trial.steps) == VIOLATED && (u64)run_detail == trial.check) found = number;
        }
        if (!trial.last) continue;
        answer(found);
        number = found = 0;
    }
}
