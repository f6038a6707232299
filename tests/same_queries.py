"""Whether two source trees ask the same: `python tests/same_queries.py BASE_SRC NEW_SRC` (folders for PYTHONPATH).

    python tests/same_queries.py BASE/src src [--programs FILE[:OPTION...] ...] [--engines NAME ...] [--keep DIR]

Runs small programs with one engine each in both trees and compares the verdict, the statistics that are no times, how
often the engine's processes ask a backend and how many formula nodes they ask about; with `--queries` also each of
these questions, and for TRUE the claims of the proof (`certify --export`), both up to names and order
(`canonical_smtlib`). Prints a line per difference; exit status 1 if there is one, 2 if something could not be compared.

Programs are read below `--root` (this tree's). `--keep DIR` keeps what the trees did in a folder each, and does not run
BASE again if its folder is there already. In engines time passes as they look at the clock, so that they do the same each
time; only a solver's own limit in seconds is as it was. BASE in both places shows what differs by itself.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from canonical_smtlib import canonical

ROOT = Path(__file__).parent.parent
DEFAULT = (
    ("tests/regression/loop_counter.c", "kinduction"),
    ("tests/regression/loop_counter.c:-Ospacer.view=int", "spacer"),
    ("tests/regression/nested_loops.c", "kinduction"),
    ("tests/regression/recursion_contract.c", "kinduction"),
    ("tests/regression/loop_squares.c", "houdini"),
    ("tests/regression/memory_safe.c:--property=memory-safety", "bmc"),
    ("tests/regression/memory_use_after_free.c:--property=memory-safety", "bmc"),
    ("tests/regression/linked_list.c", "bmc"),
    ("tests/regression/overflow_none.c:--property=no-overflow", "bmc"),
    ("tests/regression/pointers_in_memory.c", "bmc"),
    ("tests/regression/floats.c", "bmc"),
    ("tests/regression/loop_two_phases_bug.c", "bmc"),
    ("tests/regression/heap_calls.c:--data-model=ILP32", "dash"),
    ("tests/regression/strings.c", "dse"),
    ("tests/regression/loop_counter.c", "dash"),
    ("tests/slides/slam.c", "dash"),
    ("tests/slides/slam.c", "predicates"),
    ("tests/slides/slam.c:-Opredicates.strategy=impact", "predicates"),
    ("tests/slides/slam.c:-Opredicates.boolean_program=true", "predicates"),
    ("tests/slides/trace.c", "predicates"),
    ("tests/slides/calls.c", "predicates"),
    ("tests/slides/counting.c", "predicates"),
    ("tests/slides/predicates.c", "predicates"),
    ("examples/ring_buffer.c", "bmc"),
)
"""Program with options, engine."""

WATCHED = '''
import itertools, os, sys, time
from pathlib import Path
from counterpoint.core import clock

machine, ticks = clock.now, None

def now():
    return machine() if ticks is None else next(ticks) * 1e-4

def steady_clock():
    global ticks
    ticks, time.process_time = itertools.count(), now

clock.now = now  # before anything binds it
os.register_at_fork(after_in_child=steady_clock)
from counterpoint.solver import assertions
from counterpoint.term.smtlib import to_smtlib
from counterpoint.term import build
from counterpoint.term.walk import size, substitute_all, variables

folder, texts = Path(sys.argv.pop(1)), sys.argv.pop(1) == "queries"
Stack, count = assertions.AssertionStack, itertools.count()
add, check, scope = Stack.add, Stack.check, Stack.scope

def watched_add(self, formula):
    self.__dict__.setdefault("watched", []).append(formula)
    add(self, formula)

def watched_check(self, assumptions=(), seconds=None):
    asked = [*self.__dict__.get("watched", []), *assumptions]
    with (folder / f"{os.getpid()}.asked").open("a") as out:
        print(size(*asked), file=out)
    if texts:
        odd = [term for term in variables(*asked) if "|" in term.payload]
        names = {term: build.variable(term.payload.replace("|", "!odd!"), term.sort) for term in odd}
        (folder / f"{os.getpid()}-{next(count)}.smt2").write_text(to_smtlib(substitute_all(asked, names)))
    return check(self, assumptions, seconds)

class Scope:
    def __init__(self, stack):
        self.stack, self.inner = stack, scope(stack)
    def __enter__(self):
        self.height = len(self.stack.__dict__.setdefault("watched", []))
        return self.inner.__enter__()
    def __exit__(self, *failure):
        del self.stack.__dict__["watched"][self.height:]
        return self.inner.__exit__(*failure)

Stack.add, Stack.check, Stack.scope = watched_add, watched_check, lambda stack: Scope(stack)

from counterpoint.cli import main
main()
'''
"""Run instead of the command: writes down what backends are asked. In engines the clock counts how often it is looked at,
so that what they do does not depend on the machine."""


NOT_COMPARED = ("OUT_OF_TIME", "OUT_OF_MEMORY", "INTERNAL_ERROR")
"""Reasons of UNKNOWN with which two runs may be equal by accident."""


@dataclass(frozen=True, slots=True)
class Case:
    """A program, its options, and the engine that is asked."""

    program: str
    options: tuple[str, ...]
    engine: str

    def __str__(self) -> str:
        return " ".join((self.program, *self.options, self.engine))

    @property
    def folder(self) -> str:
        return "".join(letter if letter.isalnum() else "_" for letter in str(self))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("base", type=Path, help="the folder for PYTHONPATH before")
    parser.add_argument("new", type=Path, help="the folder for PYTHONPATH after")
    parser.add_argument("--programs", nargs="+", metavar="FILE[:OPTION...]", help="instead of the default list")
    parser.add_argument("--engines", nargs="+", metavar="NAME", help="all of these, for each program")
    parser.add_argument("--queries", action="store_true", help="also each question that engines ask a solver")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep the results, and reuse those of BASE")
    parser.add_argument("--root", type=Path, default=ROOT, help="where the programs are")
    parser.add_argument("--timeout", type=float, default=120, metavar="SECONDS", help="for each run (120)")
    parser.add_argument("--jobs", type=int, default=1, help="cases side by side (1)")
    given = parser.parse_args()
    for tree in (given.base, given.new):
        if not (tree / "counterpoint").is_dir():
            parser.error(f"{tree}: has no folder counterpoint; name the folder src of a tree")
    with tempfile.TemporaryDirectory(prefix="same_queries.") as scratch:
        where = given.keep or Path(scratch)
        with ThreadPoolExecutor(given.jobs) as pool:
            outcomes = pool.map(lambda case: compared(case, given, where.absolute()), cases(given))
            return max([report(case, *outcome) for case, outcome in outcomes], default=0)


def cases(given: argparse.Namespace) -> Iterator[Case]:
    """What is to be compared: the default list, or part of it, or all engines on all programs."""
    if given.programs and given.engines:
        pairs = [(program, engine) for program in given.programs for engine in given.engines]
    elif given.programs:
        known = {program for program, _ in DEFAULT}
        pairs = [pair for pair in DEFAULT if pair[0] in given.programs]
        pairs += [(program, "auto") for program in given.programs if program not in known]
    else:
        pairs = [pair for pair in DEFAULT if not given.engines or pair[1] in given.engines]
    for program, engine in pairs:
        file, *options = program.split(":")
        yield Case(file, tuple(options), engine)


Outcome = tuple[list[str], list[str]]
"""What differs, and what could not be compared."""


def compared(case: Case, given: argparse.Namespace, where: Path) -> tuple[Case, Outcome]:
    """Runs a case in both trees."""
    base, new = where / "base" / case.folder, where / "new" / case.folder
    if not (base / "result.json").exists():
        run(case, given.base, base, given)
    run(case, given.new, new, given)
    return case, differences(base, new)


def report(case: Case, differ: list[str], unknown: list[str]) -> int:
    for line in (*differ, *unknown):
        print(f"{case}: {line}")
    if not differ and not unknown:
        print(f"{case}: the same", file=sys.stderr)
    sys.stdout.flush()
    return 1 if differ else 2 if unknown else 0


def run(case: Case, tree: Path, folder: Path, given: argparse.Namespace) -> None:
    """Leaves the result, the questions (`asked`) and the claims (`claims`) of a case in a folder."""
    asked = folder / "asked"
    for part in (asked, folder / "claims"):
        for old in part.glob("*"):
            old.unlink()
    asked.mkdir(parents=True, exist_ok=True)
    if (folder / "claims").exists():
        (folder / "claims").rmdir()
    result = folder / "result.json"
    result.unlink(missing_ok=True)
    check = [*(sys.executable, "-c", WATCHED, str(asked), "queries" if given.queries else "counts", "check")]
    check += [case.program, *case.options, f"--engine={case.engine}", f"--timeout={given.timeout}"]
    execute([*check, "--no-proof-runs", "--jobs=1", f"--json={result}"], tree, given.root, folder / "check.txt")
    if result.exists() and json.loads(result.read_text())["verdict"] == "TRUE":
        certify = [sys.executable, "-m", "counterpoint", "certify", case.program, str(result)]
        certify += [option for option in case.options if not option.startswith("-O")]
        execute([*certify, f"--export={folder / 'claims'}"], tree, given.root, folder / "certify.txt")


def execute(command: list[str], tree: Path, root: Path, log: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(tree.absolute()), "PYTHONHASHSEED": "0", "COUNTERPOINT_NO_CACHE": "1"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    with log.open("w") as out:
        subprocess.run(command, cwd=root, env=environment, stdout=out, stderr=subprocess.STDOUT, check=False)


def differences(base: Path, new: Path) -> Outcome:
    """A line for all in which two runs of a case differ, and what cannot be said."""
    results = []
    for name, folder in (("before", base), ("after", new)):
        if not (folder / "result.json").exists():
            last = (folder / "check.txt").read_text().strip().splitlines()[-1:]
            return [], [f"no result {name}: {''.join(last)}"]
        results.append(json.loads((folder / "result.json").read_text()))
    found = []
    before, after = results
    for what in ("verdict", "reason"):
        if before[what] != after[what]:
            found.append(f"{what}: {before[what]} before, {after[what]} after")
    found += numbers(statistics(before, base), statistics(after, new))
    found += scripts(base / "claims", new / "claims", "claim")
    found += scripts(base / "asked", new / "asked", "query")
    unusable = [
        f"{result['reason']} {name}: nothing is compared ({result['detail'][:120]})"
        for name, result in (("before", before), ("after", after))
        if result["reason"] in NOT_COMPARED
    ]
    return ([], unusable) if unusable else (found, [])


def statistics(result: dict[str, Any], folder: Path) -> dict[str, object]:
    """What an engine counted, without times; the questions to backends, and the nodes in them."""
    counted: dict[str, object] = {}
    for engine in result["engines"]:
        for name, value in engine["statistics"].items():
            if "seconds" not in name:
                counted[name] = value
    nodes = [int(line) for file in sorted((folder / "asked").glob("*.asked")) for line in file.read_text().split()]
    return counted | {"backend calls": len(nodes), "formula nodes": sum(nodes)}


def numbers(before: dict[str, object], after: dict[str, object]) -> Iterator[str]:
    for name in dict.fromkeys((*before, *after)):
        if before.get(name) != after.get(name):
            yield f"{name}: {before.get(name)} before, {after.get(name)} after"


def scripts(before: Path, after: Path, what: str) -> Iterator[str]:
    """Scripts that only one of two folders has, up to names and order; two of a kind count twice."""
    counts = []
    names: dict[str, tuple[str, str]] = {}
    for folder in (before, after):
        digests: Counter[str] = Counter()
        for file in sorted(folder.glob("*.smt2")):
            form = canonical(file.read_text(encoding="utf-8"))
            digests[form.digest] += 1
            names[form.digest] = str(file), f"{form.conjuncts} conjuncts, {form.symbols} symbols, {form.nodes} nodes"
        counts.append(digests)
    for when, only in (("before", counts[0] - counts[1]), ("after", counts[1] - counts[0])):
        for digest, times in sorted(only.items(), key=lambda item: names[item[0]]):
            file, size = names[digest]
            yield f"{what} only {when}, {times} times: {size}: {file}"


if __name__ == "__main__":
    sys.exit(main())
