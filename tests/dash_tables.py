"""Prints the DASH thesis's tables 5.1 and 5.3 with ours beside them, and how locks-N grows.

    python tests/dash_tables.py FOLDER [--timeout 60] [--rows PATTERN] [--locks 5,10,30] [--columns none,default]

FOLDER holds the programs of table 5.1 (seed-dash/*.yml); the locks are generated. Every verdict is a checked one: proofs are
re-checked, violations replayed. Programs are checked one after the other, each in the command's own processes.
"""

from __future__ import annotations

import argparse
import math
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import counterpoint


@dataclass(frozen=True)
class Row:
    """A row of table 5.1: what the thesis measured (time in seconds), and the program's file here ("" for locks)."""

    name: str
    file: str
    result: str
    seconds: float
    tests: int
    solve_runs: int
    solver_calls: int
    unsat_targets: int


def _rows() -> Iterator[Row]:
    text = """
    Alias of return 1     | alias_of_return                  | TRUE  0.039 1 1 2 0
    Alias of return 1.1   | alias_of_return_1                | TRUE  0.039 1 1 2 0
    Alias of return 2     | alias_of_return_2                | TRUE  0.107 2 4 6 2
    Alias of return 2.1   | alias_of_return_2_1              | TRUE  0.036 1 1 2 0
    Byte add safe 1       | byte_add_1_safe                  | TRUE  5.906 1 78 126 30
    Byte add safe 2       | byte_add_2_safe                  | TRUE  5.863 1 79 127 31
    Byte add unsafe       | byte_add_unsafe                  | FALSE 0.051 2 1 2 0
    GCD 1                 | gcd_1                            | TRUE  1.039 3 20 34 6
    GCD 2                 | gcd_2                            | TRUE  0.522 1 11 18 4
    GCD 3                 | gcd_3                            | TRUE  1.699 2 18 30 6
    GCD 4                 | gcd_4                            | TRUE  2.286 1 32 55 9
    Jain 1                | jain_1_true                      | TRUE  0.421 1 9 15 3
    Jain 2                | jain_2_true                      | TRUE  0.448 1 9 15 3
    Jain 4                | jain_4_true                      | TRUE  0.656 1 9 15 3
    Jain 5                | jain_5_true                      | TRUE  0.417 1 9 15 3
    Jain 6                | jain_6                           | TRUE  0.541 1 9 15 3
    Jain 7                | jain_7                           | TRUE  0.525 1 9 15 3
    Modulus               | modulus                          | TRUE  2.024 2 9 15 3
    Mutex lock int safe   | mutex_lock_int_safe              | TRUE  0.102 1 3 5 1
    Mutex lock int unsafe | mutex_lock_int_unsafe            | FALSE 0.009 1 0 0 0
    Num conversion        | num_conversion_1_true            | TRUE  0.611 1 13 21 5
    oomInt                | oomInt-1_safe                    | TRUE  0.148 1 4 7 1
    Parity                | parity                           | TRUE  1.162 1 18 29 7
    Size of parameters    | sizeofparameters_test_ilp32_safe | TRUE  0.037 1 1 2 0
    Stateful check        | stateful_check_unsafe            | FALSE 0.856 4 17 38 2
    Locks 5               |                                  | TRUE  3.874 6 87 148 26
    Locks 6               |                                  | TRUE  4.838 7 107 182 32
    Locks 7               |                                  | TRUE  8.629 9 174 287 61
    Locks 8               |                                  | TRUE  6.746 9 147 250 44
    Locks 9               |                                  | TRUE  12.452 11 226 373 79
    Locks 10              |                                  | TRUE  8.831 11 187 318 56
    Locks 11              |                                  | TRUE  17.475 13 278 459 97
    Locks 12              |                                  | TRUE  20.002 14 304 502 106
    Locks 13              |                                  | TRUE  12.270 14 247 420 74
    Locks 14              |                                  | TRUE  13.328 15 267 454 80
    Locks 15              |                                  | TRUE  14.666 16 287 488 86
    """
    for line in text.strip().splitlines():
        name, file, numbers = (part.strip() for part in line.split("|"))
        result, seconds, *counts = numbers.split()
        yield Row(name, file, result, float(seconds), *map(int, counts))


ROWS = tuple(_rows())

COLUMNS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "basic": ("none", {"dash.block": "basic"}),
    "none": ("none", {}),
    "no-facts": ("none", {"dash.facts": "false"}),
    "default": ("default", {}),
}
"""By name: the preparation, and options. `basic` is the thesis's setting: regions are basic blocks, nothing is
simplified, and no invariants are looked for."""

DIAMONDS = """
extern _Bool __VERIFIER_nondet_bool(void); extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
int main(void) {
    int lock = LOCK;
    int x = 0, y = 0;
    int *p = &y;
    BEFORE
    if (__VERIFIER_nondet_bool()) x = x + 1; else *p = *p + 1;
    if (__VERIFIER_nondet_bool()) x = x + 1; else *p = *p + 1;
    if (__VERIFIER_nondet_bool()) x = x + 1; else *p = *p + 1;
    if (__VERIFIER_nondet_bool()) x = x + 1; else *p = *p + 1;
    if (__VERIFIER_nondet_bool()) x = x + 1; else *p = *p + 1;
    if (!(lock == 1)) reach_error();
}
"""
"""Figure 5.2; with an input that is 1, nothing folds the assertion away."""

FIGURE_5_2 = DIAMONDS.replace("LOCK", "1").replace("BEFORE", "")
FIGURE_5_2_UNFOLDED = DIAMONDS.replace("LOCK", "__VERIFIER_nondet_int()").replace("BEFORE", "if (lock != 1) return 0;")


def locks(number: int) -> str:
    """The program `locks N`: in an endless loop some of N locks are taken and given back, each with a check."""
    numbers = range(1, number + 1)
    declared = "\n".join(f"  int p{i} = __VERIFIER_nondet_int(); int lk{i};" for i in numbers)
    opened = "\n".join(f"    lk{i} = 0;" for i in numbers)
    taken = "\n".join(f"    if (p{i} != 0) {{ lk{i} = 1; }} else {{ }}" for i in numbers)
    given = "\n".join(f"    if (p{i} != 0) {{ if (lk{i} != 1) goto ERROR; lk{i} = 0; }} else {{ }}" for i in numbers)
    return f"""
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) {{}}
int main() {{
{declared}
  while (1) {{
    int cond = __VERIFIER_nondet_int();
    if (cond == 0) goto out;
{opened}
{taken}
{given}
  }}
out:
  return 0;
ERROR: {{ reach_error(); abort(); }}
  return 0;
}}
"""


@dataclass(frozen=True)
class Measured:
    """What one engine said of one program; `seconds` are its own, without compiling and checking."""

    verdict: str
    seconds: float
    counts: Mapping[str, int | float | str]

    def __getitem__(self, name: str) -> int:
        return int(self.counts.get(name, 0))

    @property
    def calls(self) -> int:
        """Solver calls: of the algorithm, and those that showed invariants (`dash.facts`). Interpolation's are not known."""
        return self["solver_calls"] + sum(self[name] for name in self.counts if name.startswith("solver_calls_claims"))


def measure(file: Path, timeout: float, engine: str, prepare: str, options: Mapping[str, str]) -> Measured:
    """One check by one engine. `timeout` in seconds of wall time, compiling and checking included."""
    result = counterpoint.check(
        file,
        engines=(engine,),
        timeout=timeout,
        jobs=1,
        prepare=prepare,
        options=tuple(sorted(options.items())),
        property="unreach-call" if file.suffix != ".yml" else None,
    )
    runs = [run for run in result.engines if run.engine == engine]
    verdict = result.outcome.value if result.outcome.value != "UNKNOWN" else str(result.reason)
    seconds = sum(run.seconds for run in runs)
    return Measured(verdict, seconds, runs[-1].statistics if runs else {})


def exponent(points: Sequence[tuple[int, int]]) -> float:
    """The slope of log(calls) over log(N), by least squares; 0 where nothing was asked."""
    pairs = [(math.log(number), math.log(calls)) for number, calls in points if calls > 0]
    if len(pairs) < 2:
        return 0.0
    mean_x, mean_y = (sum(values) / len(pairs) for values in zip(*pairs, strict=True))
    return sum((x - mean_x) * (y - mean_y) for x, y in pairs) / sum((x - mean_x) ** 2 for x, _ in pairs)


def table_5_1(folder: Path, scratch: Path, timeout: float, rows: str, columns: Sequence[str]) -> None:
    head = "result seconds tests solve-runs solver-calls unsat-targets"
    print(f"| program | thesis: {head} | " + " | ".join(columns) + " |")
    print("|---|---|" + "---|" * len(columns))
    sums = {name: [0, 0.0, 0, 0.0] for name in columns}
    for row in ROWS:
        if not re.search(rows, row.name):
            continue
        file = folder / "seed-dash" / f"{row.file}.yml"
        if not row.file:
            file = scratch / f"{row.name.replace(' ', '_')}.c"
            file.write_text(locks(int(row.name.split()[1])))
        cells = [f"{row.result} {row.seconds} {row.tests} {row.solve_runs} {row.solver_calls} {row.unsat_targets}"]
        for name in columns:
            prepare, options = COLUMNS[name]
            found = measure(file, timeout, "dash", prepare, options)
            sums[name][0] += found.calls
            sums[name][1] += found.seconds
            if found.verdict == row.result:
                sums[name][2] += 1
                sums[name][3] += row.solver_calls
            calls = f"{found['solver_calls']}+{found.calls - found['solver_calls']}"
            counts = f"{found['tests']} {found['solve_runs']} {calls} {found['unsat_targets']}"
            cells.append(f"{found.verdict} {found.seconds:.2f} {counts}")
        print(f"| {row.name} | " + " | ".join(cells) + " |", flush=True)
    total = f"{sum(r.solver_calls for r in ROWS)} calls, {sum(r.seconds for r in ROWS):.0f} s"
    ours = [f"{right} as the thesis; {calls} calls, {seconds:.1f} s" for calls, seconds, right, _ in sums.values()]
    print(f"| all | {total} | " + " | ".join(ours) + " |")


def growth(scratch: Path, timeout: float, numbers: Sequence[int], columns: Sequence[str]) -> None:
    for name in columns:
        prepare, options = COLUMNS[name]
        points = []
        for number in numbers:
            file = scratch / f"locks_{number}.c"
            file.write_text(locks(number))
            found = measure(file, timeout, "dash", prepare, options)
            points.append((number, found.calls))
            print(f"locks {number} ({name}): {found.verdict} {found.seconds:.2f} s, {dict(found.counts)}", flush=True)
            if found.verdict != "TRUE":
                break
        print(f"locks ({name}): solver calls grow as N^{exponent(points):.2f}")


def table_5_3(scratch: Path, timeout: float) -> None:
    print("| figure 5.2 | verdict | seconds | iterations | solver calls | unsat targets |\n|---|---|---|---|---|---|")
    for title, text in (("as printed", FIGURE_5_2), ("lock is an input", FIGURE_5_2_UNFOLDED)):
        file = scratch / "diamonds.c"
        file.write_text(text)
        for label, engine, options in (
            ("DSE", "dse", {}),
            ("DASH, plain", "dash", {"dash.block": "basic", "dash.targets": "false"}),
            ("DASH, check", "dash", {"dash.block": "basic"}),
            ("DASH, check, loop heads only", "dash", {}),
        ):
            found = measure(file, timeout, engine, "none", options)
            iterations = found["tests" if engine == "dse" else "solve_runs"]
            numbers = f"{iterations} | {found.calls} | {found['unsat_targets']}"
            print(f"| {title}: {label} | {found.verdict} | {found.seconds:.2f} | {numbers} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--timeout", type=float, default=60.0)
    parser.add_argument("--rows", default="", help="only rows of table 5.1 whose name matches; `-` for none")
    parser.add_argument("--locks", default="5,10,15,30,50,100", help="sizes to measure the growth with; `-` for none")
    parser.add_argument("--columns", default=",".join(COLUMNS), help=", ".join(COLUMNS))
    given = parser.parse_args()
    columns = given.columns.split(",")
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        table_5_3(scratch, given.timeout)
        if given.rows != "-":
            table_5_1(given.folder, scratch, given.timeout, given.rows, columns)
        if given.locks != "-":
            growth(scratch, given.timeout, [int(number) for number in given.locks.split(",")], columns)


if __name__ == "__main__":
    main()
