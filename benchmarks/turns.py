"""What other turns of the provers would have cost: `auto`'s table, fitted to measured answers, by cross-validation.

    counterpoint bench SET --property unreach-call --timeout 20 --jobs 2 --check-jobs 1 --json BASE.json
    python benchmarks/methods.py BASE.json SET --out DIR
    python benchmarks/turns.py collect BASE.json DIR/engine-*.json > benchmarks/turns.tsv
    python benchmarks/turns.py fit benchmarks/turns.tsv

`collect` writes a line for each task with loops: what the program is like, the seconds that its answer took beside the
engines' (start, evidence), and what is known of each engine: that it answers after so many seconds of its own, that
it ends without an answer, or that it has none in so many. The runs with an engine left out say who else answers.

`fit` replays schedules with that (portfolio/scheduler.py decides whose turn it is): of each row of the table the order
and the seconds are changed, an engine at a time, as long as more tasks are decided in 20 s, or as many in less time.
Tasks of a family are alike, so families are dealt out to ten parts, and each part is judged by what was fitted to the
others. What the replay leaves out: facts that engines hand on, and answers that nobody was asked for.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from counterpoint.evidence.verdict import Reason
from counterpoint.portfolio.features import Features
from counterpoint.portfolio.schedule import PROVERS, Row, Slice, automatic
from counterpoint.portfolio.scheduler import Turns

LIMIT = 20.0
GRACE = 0.3
"""Seconds that a process may need beyond its turn, its start among them."""

PARTS = 10
SECONDS = (0.5, 1.0, 1.5, 2.0, 3.0, 5.0, 8.0, 13.5)
FIRST = 0.8
"""Seconds of tests and `bmc` that come before every prover."""

ANSWERS, ENDS, OPEN = "answers", "ends", "open"
COLUMNS = ("task", "family", "seconds_beside", "features", "engines")


@dataclass(frozen=True)
class Known:
    """What an engine does with a task: `answers` or `ends` after these seconds, or is `open` after them."""

    how: str
    seconds: float


@dataclass(frozen=True)
class Measured:
    """A task: `beside` are its seconds that no engine had."""

    task: str
    family: str
    beside: float
    features: Features
    engines: Mapping[str, Known]

    @property
    def row(self) -> int:
        return next(number for number, (_, fits, _) in enumerate(PROVERS) if fits(self.features))


# ---------------------------------------------------------------- what was measured


def collect(base: Path, others: Iterable[Path]) -> Iterator[Measured]:
    """Of the tasks of `base` that have loops and an answer in one of the files, none of which may be wrong."""
    runs = [{row["task"]: row for row in json.loads(path.read_text())["rows"]} for path in (base, *others)]
    for task, row in runs[0].items():
        asked = [run[task] for run in runs if task in run and run[task]["engines"]]
        features = _features(row["features"])
        if features is None or features.loop_free or not any(one["kind"] == "correct" for one in asked):
            continue
        known: dict[str, Known] = {}
        for one in asked:
            for name, found in _engines(one).items():
                known[name] = _better(known[name], found) if name in known else found
        beside = row["seconds"] - sum(engine["seconds"] for engine in row["engines"])
        yield Measured(task, row["family"], round(max(beside, 0.0), 2), features, known)


def _features(given: Mapping[str, Any]) -> Features | None:
    names = {field.name for field in fields(Features)}
    return Features(**{name: value for name, value in given.items() if name in names}) if given else None


def _engines(row: Mapping[str, Any]) -> dict[str, Known]:
    """By engine, of one run: seconds of all its turns together."""
    found: dict[str, Known] = {}
    for turn in row["engines"]:
        name, before = turn["engine"], found.get(turn["engine"], Known(OPEN, 0.0)).seconds
        answered = row["kind"] == "correct" and name == row["engine"] and turn["answer"] in {"TRUE", "FALSE"}
        open_ = turn["answer"] in {"UNKNOWN(OUT_OF_TIME)", "TRUE", "FALSE"}
        found[name] = Known(ANSWERS if answered else OPEN if open_ else ENDS, round(before + turn["seconds"], 2))
    return found


def _better(one: Known, other: Known) -> Known:
    """What says more: an answer, then an end, then the longer time without either."""
    rank = {ANSWERS: 0, ENDS: 1, OPEN: 2}
    if rank[one.how] != rank[other.how]:
        return min(one, other, key=lambda known: rank[known.how])
    return max(one, other, key=lambda known: known.seconds) if one.how == OPEN else one


def write(tasks: Iterable[Measured], lines: Any) -> None:
    """As tab-separated text."""
    table = csv.writer(lines, delimiter="\t", lineterminator="\n")
    table.writerow(COLUMNS)
    for one in tasks:
        features = " ".join(f"{name}={int(value)}" for name, value in asdict(one.features).items() if value)
        engines = " ".join(f"{name}:{known.how}:{known.seconds}" for name, known in sorted(one.engines.items()))
        table.writerow((one.task, one.family, one.beside, features, engines))


def read(path: Path) -> list[Measured]:
    """What `write` wrote."""
    found = []
    kinds = {field.name: field.type for field in fields(Features)}
    with path.open(newline="") as lines:
        for row in csv.DictReader(lines, delimiter="\t"):
            said = dict(word.split("=") for word in row["features"].split())
            given: dict[str, Any] = {k: bool(int(v)) if kinds[k] == "bool" else int(v) for k, v in said.items()}
            parts = [word.split(":") for word in row["engines"].split()]
            engines = {name: Known(how, float(seconds)) for name, how, seconds in parts}
            beside = float(row["seconds_beside"])
            found.append(Measured(row["task"], row["family"], beside, Features(**given), engines))
    return found


# ---------------------------------------------------------------- what schedules would cost


def cost(task: Measured, rows: tuple[Row, ...], limit: float = LIMIT) -> float | None:
    """The seconds to the first answer in that schedule, for one job; None where there is none in time."""
    turns = Turns(automatic(1, task.features, rows))
    elapsed = task.beside
    spent: dict[str, float] = defaultdict(float)
    while (turn := turns.next(0, elapsed, limit - elapsed)) is not None:
        known = task.engines.get(turn.part.engine, Known(OPEN, 0.0))
        left = known.seconds - spent[turn.part.engine] if known.how != OPEN else float("inf")
        allowed = min(turn.seconds, _own_limit(turn.part), limit - elapsed)
        used = min(allowed, max(left, 0.0)) if left > allowed + GRACE else max(left, 0.0)
        elapsed += used
        spent[turn.part.engine] += used
        if used >= left:
            if known.how == ANSWERS:
                return elapsed
            turns.ended(turn.part, Reason.UNSUPPORTED, 0)  # it says the same again
        else:
            turns.ended(turn.part, Reason.OUT_OF_TIME, 0)
        if used <= 0.0 and left > 0.0:
            return None
    return None


def _own_limit(part: Slice) -> float:
    """Tests are told their seconds."""
    return float(dict(part.options).get(f"{part.engine}.seconds", "inf"))


def judged(tasks: Sequence[Measured], rows: tuple[Row, ...]) -> tuple[int, float]:
    """How many are decided, and in how many seconds together; an undecided one counts as LIMIT."""
    costs = [cost(task, rows) for task in tasks]
    decided = [one for one in costs if one is not None]
    return len(decided), sum(decided) + LIMIT * (len(costs) - len(decided))


def fitted(tasks: Sequence[Measured], row: int) -> tuple[Slice, ...]:
    """The turns of that row that do best on the tasks, by steps from today's: one engine at another place, with
    other seconds."""
    slices = PROVERS[row][2]
    asked = [task for task in tasks if not _at_once(task)]

    def value(trial: tuple[Slice, ...]) -> tuple[int, float]:
        decided, seconds = judged(asked, with_row(row, trial))
        return -decided, round(seconds, 3)

    best = value(slices)
    while True:
        trials = [(value(trial), number, trial) for number, trial in enumerate(_steps(slices))]
        least, _, trial = min(trials, key=lambda one: one[:2])
        if least >= best:
            return slices
        best, slices = least, trial


def _at_once(task: Measured) -> bool:
    """It is answered before any prover has its turn."""
    seconds = cost(task, PROVERS)
    searched = any(task.engines.get(name, Known(OPEN, 0.0)).how == ANSWERS for name in ("random", "bmc"))
    return searched and seconds is not None and seconds - task.beside <= FIRST


def _steps(slices: tuple[Slice, ...]) -> Iterator[tuple[Slice, ...]]:
    for here, part in enumerate(slices):
        rest = slices[:here] + slices[here + 1 :]
        for there in range(len(slices)):
            for seconds in SECONDS:
                yield (*rest[:there], replace(part, seconds=seconds), *rest[there:])


def with_row(row: int, slices: tuple[Slice, ...]) -> tuple[Row, ...]:
    """Today's table with other turns in one row."""
    name, fits, _ = PROVERS[row]
    return (*PROVERS[:row], (name, fits, slices), *PROVERS[row + 1 :])


def crossed(tasks: Sequence[Measured], row: int) -> tuple[int, float]:
    """What `judged` says of each part with the turns that were fitted to the others, summed up."""
    families = sorted({task.family for task in tasks})
    part_of = {family: number % PARTS for number, family in enumerate(families)}
    decided, seconds = 0, 0.0
    for part in sorted(set(part_of.values())):
        others = [task for task in tasks if part_of[task.family] != part]
        held = [task for task in tasks if part_of[task.family] == part]
        one, time = judged(held, with_row(row, fitted(others, row)))
        decided, seconds = decided + one, seconds + time
    return decided, seconds


def fit(tasks: Sequence[Measured]) -> None:
    """Prints a line for each row of the table that tasks have."""
    print("| programs | tasks | today | fitted to all | cross-validated | the fitted turns |")
    print("|---|---|---|---|---|---|")
    for row, (name, _, _) in enumerate(PROVERS):
        here = [task for task in tasks if task.row == row]
        if not here:
            continue
        slices = fitted(here, row)
        results = (judged(here, PROVERS), judged(here, with_row(row, slices)), crossed(here, row))
        turns = ", ".join(f"{part.engine} {part.seconds:g}" for part in slices if part.seconds is not None)
        shown = " | ".join(f"{decided}, {seconds:.0f} s" for decided, seconds in results)
        print(f"| {name} | {len(here)} | {shown} | {turns} |", flush=True)


def main() -> int:
    """0."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    collecting = commands.add_parser("collect")
    collecting.add_argument("base", type=Path)
    collecting.add_argument("others", type=Path, nargs="*")
    commands.add_parser("fit").add_argument("measured", type=Path)
    given = parser.parse_args()
    if given.command == "collect":
        write(collect(given.base, given.others), sys.stdout)
    else:
        fit(read(given.measured))
    return 0


if __name__ == "__main__":
    sys.exit(main())
