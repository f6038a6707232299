"""The columns of figure 3 of "Modular Bug Detection with Inertial Refinement" for public code.

    python benchmarks/figure3.py --sources DIR fetch          # Debian's source packages, by name (deb-src is needed)
    python benchmarks/figure3.py --sources DIR run [--seconds 120] [--rows cjson-A,md4c] [--strategies ir,dcr+]
    python benchmarks/figure3.py --tasks BENCH/a.yml ... run  # tasks instead

A row is a program and a checker (figure3_checkers.py). Programs are compiled once; each run is a process of its own
with so many seconds of computing. Columns are lines of code, error conditions at the program's entry (in the nearest
calling contexts of each function, as many as --contexts says), and for each strategy regions entered, seconds (TO: the
time was not enough), conditions excluded, checks that are violated, and checks given up (a question took more than
--query seconds, or a run of the formulas is none of the program). All conditions are looked at, but for those of checks
that were found violated. `--json FILE` keeps all figures, of each condition too; the last lines sum up rows in which
strategies ended, and conditions that the first strategy and another one both decided, whether their runs ended or not.

A region counts once for each condition that it is entered for, as conditions are refined one by one in the paper's
algorithm 1; `regions_distinct` in the JSON counts it once in each context of a run. (The paper says "total number of
regions expanded during the run", which "may include the same function under multiple contexts".)
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from pathlib import Path

from counterpoint.core import clock
from counterpoint.core.budget import Budget
from counterpoint.core.errors import CounterpointError, OutOfBudget, UnusableInput
from counterpoint.engines.inertial import search_in
from counterpoint.engines.inertial.contexts import Context
from counterpoint.engines.inertial.search import Search
from counterpoint.engines.inertial.strategies import NAMES
from counterpoint.engines.protocol import Tools
from counterpoint.execute.subject import MODULAR, Subject, compile_subject
from counterpoint.frontend.task import SourceTask
from counterpoint.portfolio.task_definition import read_task_definition
from counterpoint.program.model import Program
from figure3_checkers import CHECKERS
from figure3_rows import ROWS, Row, fetch, paths

WALL = 20
"""How many times longer than its seconds of computing a run may take on a busy machine."""


def lines_of(files: Sequence[Path]) -> int:
    """Lines that are not blank."""
    return sum(bool(line.strip()) for file in files for line in file.read_text(errors="replace").splitlines())


# ---------------------------------------------------------------- one program


def measure(program: Program, options: Mapping[str, str], seconds: float) -> dict[str, object]:
    """One run: all conditions, however many checks are violated on the way."""
    started, numbers, ended = time.process_time(), dict[str, int | float](), True
    search = search_in(program, options, Tools(Budget.of_computing(seconds)), numbers)
    search.every = True
    try:
        search.search()
    except OutOfBudget:
        ended = False
    spent = round(time.process_time() - started, 1)
    distinct = {(one.context, region) for one in search.refinements for region in one.entered}
    return {
        "violated": len(search.found), "given_up": len(search.undecided), "ended": ended, "seconds": spent,
        "checks": 0 if program.focus is None else len(program.focus), "regions_distinct": len(distinct), **numbers,
        "conditions": _conditions(search),
    }  # fmt: skip


def _conditions(search: Search) -> dict[str, list[object]]:
    """What is said of each condition, the regions entered for it, and seconds. A region that several conditions need is
    entered for each of them."""
    at_once = {_named(check, context): ["excluded", 0, 0.0] for check, context in search.at_once}
    refined = {
        _named(one.check, one.context): [one.outcome, len(one.entered), round(one.seconds, 3)]
        for one in search.refinements
    }
    return {**at_once, **refined}


def _named(check: int, context: Context) -> str:
    return " ".join([str(check), context.root, *(f"{step.site}*{step.times}" for step in context.steps)])


def _measured_apart(program: Program, options: Mapping[str, str], seconds: float) -> dict[str, object]:
    """The same in a process of its own, forked from this one, which has the program."""
    ours, theirs = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=_answer, args=(theirs, program, options, seconds))
    process.start()
    theirs.close()
    try:
        if not ours.poll(WALL * seconds):
            return {"error": "no end"}
        answer: dict[str, object] = ours.recv()
        return answer
    except EOFError:
        return {"error": "killed"}
    finally:
        process.kill()
        process.join()


class _Elsewhere(clock.Pauses):
    """What the machine does for others counts as a pause: all limits are seconds of computing."""

    def total(self) -> float:
        return time.monotonic() - time.process_time()


def _answer(pipe: Connection, program: Program, options: Mapping[str, str], seconds: float) -> None:
    clock.subtract(_Elsewhere())
    try:
        pipe.send(measure(program, options, seconds))
    except (CounterpointError, RecursionError, MemoryError) as error:
        pipe.send({"error": f"{type(error).__name__}: {error}"[:80]})


def _row(row: Row, options: argparse.Namespace) -> None:
    """Compiles the program once and prints a line of JSON for each checker and strategy."""
    files, includes = paths(row, options.sources.resolve())
    compiled: dict[str, Subject] = {}
    for letter in row.checkers:
        checker = CHECKERS[letter]
        if checker.property not in compiled:
            compiled[checker.property] = compile_subject(
                SourceTask(files, row.data_model, include=includes, defines=row.defines, property=checker.property)
            )
        whole = compiled[checker.property].program(MODULAR)
        program = checker.choose(whole)
        for strategy in options.strategies.split(","):
            given = {"strategy": strategy, "contexts": str(options.contexts), "query": str(options.query)}
            found = _measured_apart(program, {f"inertial.{k}": v for k, v in given.items()}, options.seconds)
            about = {"name": f"{row.name}-{letter}", "strategy": strategy, "lines": lines_of(files)}
            print(json.dumps({**about, **found}), flush=True)


# ---------------------------------------------------------------- the table


def table(rows: Sequence[Row], options: argparse.Namespace) -> list[dict[str, object]]:
    """Prints the table row by row, as it is measured."""
    strategies = options.strategies.split(",")
    names = " | ".join(f"{name} #R | T | excluded | violated | given up" for name in strategies)
    print(f"| program | LOC | #EC | {names} |\n|---{'|---' * (2 + 5 * len(strategies))}|", flush=True)
    every: list[dict[str, object]] = []
    for row in rows:
        for found in _by_checker(row, options):
            every += found
            if options.json:
                options.json.write_text(json.dumps(every, indent=1) + "\n", encoding="utf-8")
            conditions = max(_number(one, "error_conditions") for one in found)
            about = f"{found[0].get('name', row.name)} | {found[0].get('lines', '?')}"
            print(f"| {about} | {conditions} | {' | '.join(map(_cell, found))} |", flush=True)
    return every


def _number(one: Mapping[str, object], name: str) -> int:
    return int(str(one.get(name, 0)))


def _cell(one: Mapping[str, object]) -> str:
    if "error" in one:
        return f"{one['error']} | | | |"
    excluded = sum(_number(one, name) for name in ("conditions_excluded", "conditions_excluded_below"))
    time_ = f"{one['seconds']}" if one["ended"] else "TO"
    return f"{_number(one, 'regions_expanded')} | {time_} | {excluded} | {one['violated']} | {one['given_up']}"


def _by_checker(row: Row, options: argparse.Namespace) -> Iterator[list[dict[str, object]]]:
    """What a process of its own finds out about the row, with all strategies at a time."""
    given = [row.name, row.package, row.files, row.data_model, row.checkers]
    command = [sys.executable, __file__, "row", "--given", json.dumps(given), "--sources", str(options.sources)]
    command += [f"--{name}={getattr(options, name)}" for name in ("strategies", "seconds", "contexts", "query")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stderr is not None
        found: list[dict[str, object]] = []
        for line in process.stdout:
            found.append(json.loads(line))
            if len(found) == len(options.strategies.split(",")):
                yield found
                found = []
        said = process.stderr.read().strip().splitlines() or ["?"]
    if process.returncode:
        yield [*found, {"error": f"failed: {said[-1][:80]}"}]


def summed_up(every: Sequence[Mapping[str, object]], strategies: Sequence[str]) -> None:
    """Sums over the rows in which all strategies ended."""
    names = dict.fromkeys(str(one["name"]) for one in every if "name" in one)
    by_key = {(one.get("name"), one.get("strategy")): one for one in every}
    all_ended = [name for name in names if all(by_key.get((name, s), {}).get("ended") for s in strategies)]
    print(f"\nRows in which all ended: {len(all_ended)} of {len(names)}")
    for strategy in strategies:
        mine = [by_key[name, strategy] for name in all_ended]
        regions, seconds = sum(_number(one, "regions_expanded") for one in mine), sum(_seconds(one) for one in mine)
        ended = sum(bool(by_key.get((name, strategy), {}).get("ended")) for name in names)
        print(f"{strategy}: {regions} regions, {seconds:.1f} s; it ended in {ended} rows", flush=True)


DECIDED = ("excluded", "violated")


@dataclass(frozen=True, slots=True)
class Common:
    """Of the conditions that two strategies said the same of: how many there are, how many had regions entered for them
    by either, and for each strategy regions and seconds."""

    conditions: int
    refined: int
    regions: tuple[int, int]
    seconds: tuple[float, float]


def in_common(one: Mapping[str, object], other: Mapping[str, object]) -> Common:
    """Of two runs on the same program. Raises AssertionError if one excludes what the other violates."""
    mine, theirs = _decided(one), _decided(other)
    both = [(mine[name], theirs[name]) for name in mine if name in theirs]
    assert all(a[0] == b[0] for a, b in both), f"strategies disagree: {both}"
    regions = sum(a[1] for a, _ in both), sum(b[1] for _, b in both)
    seconds = sum(a[2] for a, _ in both), sum(b[2] for _, b in both)
    return Common(len(both), sum(bool(a[1] or b[1]) for a, b in both), regions, seconds)


def _decided(one: Mapping[str, object]) -> dict[str, tuple[str, int, float]]:
    conditions = one.get("conditions", {})
    assert isinstance(conditions, dict)
    return {name: (said, regions, seconds) for name, (said, regions, seconds) in conditions.items() if said in DECIDED}


def compared(every: Sequence[Mapping[str, object]], strategies: Sequence[str]) -> None:
    """The first strategy with each other one, row by row and in sum, on what both decided."""
    by_key = {(one.get("name"), one.get("strategy")): one for one in every}
    names = dict.fromkeys(str(one["name"]) for one in every if "name" in one)
    first = strategies[0]
    for other in strategies[1:]:
        pairs = {name: (by_key.get((name, first), {}), by_key.get((name, other), {})) for name in names}
        rows = {name: in_common(*pair) for name, pair in pairs.items()}
        print(f"\n| decided by both | #EC | refined | {first} #R | {other} #R | {first} T | {other} T |")
        print("|---|---|---|---|---|---|---|")
        for name, row in rows.items():
            print(_line(name, row))
        print(_line("all", _summed(list(rows.values()))), flush=True)


def _line(name: str, row: Common) -> str:
    regions, seconds = " | ".join(map(str, row.regions)), " | ".join(f"{one:.1f}" for one in row.seconds)
    return f"| {name} | {row.conditions} | {row.refined} | {regions} | {seconds} |"


def _summed(rows: Sequence[Common]) -> Common:
    regions = sum(row.regions[0] for row in rows), sum(row.regions[1] for row in rows)
    seconds = sum(row.seconds[0] for row in rows), sum(row.seconds[1] for row in rows)
    return Common(sum(row.conditions for row in rows), sum(row.refined for row in rows), regions, seconds)


def _seconds(one: Mapping[str, object]) -> float:
    return float(str(one.get("seconds", 0)))


def _of_task(path: Path) -> Row:
    read = read_task_definition(path)
    return Row(path.stem, "", tuple(str(file) for file in read.files), checkers="R", data_model=read.data_model)


def _chosen(rows: Sequence[Row], names: str) -> list[Row]:
    """Those of these names; `cjson-A` has that checker only."""
    if not names:
        return list(rows)
    found = []
    for name in names.split(","):
        row = next((row for row in rows if row.name in (name, name.rpartition("-")[0])), None)
        if row is None:
            raise UnusableInput(f"row `{name}`: expected some of {', '.join(row.name for row in rows)}")
        found.append(row if row.name == name else replace(row, checkers=name.rpartition("-")[2]))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["fetch", "run", "row"])
    parser.add_argument("--sources", type=Path, default=Path("figure3-sources"))
    parser.add_argument("--tasks", type=Path, nargs="*", default=[])
    parser.add_argument("--rows", default="")
    parser.add_argument("--strategies", default=",".join(NAMES))
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--contexts", type=int, default=1)
    parser.add_argument("--query", type=int, default=4)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--given", default="")
    options = parser.parse_args()
    match options.what:
        case "fetch":
            fetch(options.sources)
        case "row":
            name, package, files, data_model, letters = json.loads(options.given)
            row = next((row for row in ROWS if row.name == name and package), Row(name, "", tuple(files)))
            _row(replace(row, data_model=data_model, checkers=letters), options)
        case _:
            rows = [_of_task(path) for path in options.tasks] or list(ROWS)
            every = table(_chosen(rows, options.rows), options)
            summed_up(every, options.strategies.split(","))
            compared(every, options.strategies.split(","))


if __name__ == "__main__":
    main()
