"""Prints the results table of the slides on abstraction refinement (slide 68) with ours beside it, and how locks grow.

    python tests/predicates_tables.py FOLDER [--timeout 900] [--rows PATTERN] [--locks 5,10,20,40,70,100]
                                      [--localised 10,20,40,80] [--option predicates.block=basic]

FOLDER holds the drivers and sets/seed-blast.set; `-` instead of sizes or of a pattern leaves that table out. Each line is
one `counterpoint check --engine predicates --jobs 1`, one after the other. Seconds are wall time of the whole check: compiling
and checking the evidence are included, the start of Python (about 0.5 s) is not. Solver calls are those of the
abstraction; interpolation's are not counted.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from dash_tables import exponent, locks
from slides import locks as correlated_locks

GRACE = 30.0
"""Seconds beyond its own limit after which a check is given up."""


@dataclass(frozen=True)
class Row:
    """A row of slide 68: BLAST's lines of preprocessed code, its time before and with interpolants (DNF: did not finish), and
    its predicates, in all and on average per location."""

    name: str
    lines: str
    previous: str
    new: str
    total: int
    average: float


ROWS = (
    Row("kbfiltr", "12k", "1m12s", "3m48s", 72, 6.5),
    Row("floppy", "17k", "7m10s", "25m20s", 240, 7.7),
    Row("diskperf", "14k", "5m36s", "13m32s", 140, 10.0),
    Row("cdaudio", "18k", "20m18s", "23m51s", 256, 7.8),
    Row("parport", "61k", "DNF", "74m58s", 753, 8.1),
    Row("parclass", "138k", "DNF", "77m40s", 382, 7.2),
)

LOCALISED: Mapping[str, tuple[str, ...]] = {
    "p1 to pn, basic blocks": ("predicates.block=basic",),
    "p1 to pn, statements": ("predicates.block=single", "predicates.traces=merged"),
}
"""How slides 26 to 28 are checked: with basic blocks, and as in test_predicates_slides.py."""


@dataclass(frozen=True)
class Measured:
    """What one check came to: its last line, wall time in seconds, and the counters of the engine."""

    verdict: str
    seconds: float = 0.0
    counts: Mapping[str, float] = field(default_factory=dict)

    def count(self, name: str) -> str:
        """A counter as it stands in a table."""
        return f"{self.counts[name]:g}" if name in self.counts else ""


@dataclass(frozen=True)
class Checks:
    """How all checks are made; files of their own are in `scratch`."""

    scratch: Path
    timeout: float
    options: tuple[str, ...]

    def file(self, file: Path, *options: str) -> Measured:
        """One check as a user makes it."""
        out = self.scratch / "result.json"
        out.unlink(missing_ok=True)
        given = [part for option in (*self.options, *options) for part in ("-O", option)]
        command = [sys.executable, "-m", "counterpoint", "check", "--no-cache", str(file), "--engine", "predicates", "--jobs", "1"]
        limit = ["--timeout", str(self.timeout), "--json", str(out), "--quiet"]
        try:
            subprocess.run([*command, *limit, *given], capture_output=True, timeout=self.timeout + GRACE, check=False)
        except subprocess.TimeoutExpired:
            return Measured("(no end)")
        if not out.exists():
            return Measured("(no result)")
        result = json.loads(out.read_text())
        counts: dict[str, float] = {}
        for run in result["engines"]:
            counts |= {name: value for name, value in run["statistics"].items() if not isinstance(value, str)}
        return Measured(result["verdict"], result["seconds"], counts)

    def text(self, text: str, *options: str) -> Measured:
        """The same of a program's text."""
        file = self.scratch / "program.c"
        file.write_text(text)
        return self.file(file, *options)


def slide_68(folder: Path, checks: Checks, pattern: str) -> None:
    """A line for each of our programs of a driver; one without ours for a driver that we have not."""
    tasks = list(_tasks(folder / "sets" / "seed-blast.set"))
    print("| program | BLAST: LOC | previous | new | predicates | average | task | LOC | verdict | seconds | refinements"
          " | predicates | average |")
    print("|---" * 13 + "|")
    for row in ROWS:
        if not re.search(pattern, row.name):
            continue
        theirs = f"{row.name} | {row.lines} | {row.previous} | {row.new} | {row.total} | {row.average:g}"
        ours = [task for task in tasks if task.stem.startswith(f"{row.name}_")]
        if not ours:
            print(f"| {theirs} |" + " |" * 7)
        for task in ours:
            found = checks.file(task)
            counts = " | ".join(found.count(name) for name in ("refinements", "predicates", "average"))
            name = f"{task.parent.name}/{task.stem}"
            print(f"| {theirs} | {name} | {_lines(task)} | {found.verdict} | {found.seconds:.1f} | {counts} |", flush=True)
            theirs = " |" * 5 + " "


def _tasks(listed: Path) -> Iterator[Path]:
    """The task definitions of a set, in its order."""
    for line in listed.read_text().splitlines():
        if line.strip():
            yield (listed.parent / line.strip()).resolve()


def _lines(task: Path) -> int:
    """The lines of the task's source that are neither empty nor preprocessor's."""
    (file,) = re.findall(r"input_files: *'?([^'\n]+)", task.read_text())
    text = (task.parent / file).read_text(errors="replace")
    return sum(bool(line.strip()) and not line.startswith("#") for line in text.splitlines())


def growth(
    title: str,
    program: Callable[[int], str],
    checks: Checks,
    numbers: Sequence[int],
    columns: Sequence[str],
    options: Sequence[str] = (),
) -> None:
    """One family of programs, N by N, up to the first that is not decided."""
    print(f"| {title} | verdict | seconds | " + " | ".join(column.replace("_", " ") for column in columns) + " |")
    print("|---" * (3 + len(columns)) + "|")
    points = []
    for number in numbers:
        found = checks.text(program(number), *options)
        counts = " | ".join(map(found.count, columns))
        print(f"| {number} | {found.verdict} | {found.seconds:.2f} | {counts} |", flush=True)
        if found.verdict != "TRUE":
            break
        points.append((number, int(found.counts["solver_calls"])))
    print(f"solver calls grow as N^{exponent(points):.2f}\n")


def _sizes(text: str) -> list[int]:
    return [int(number) for number in text.split(",")]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--timeout", type=float, default=900.0, help="seconds per check")
    parser.add_argument("--rows", default="", help="only drivers whose name matches; `-` for none")
    parser.add_argument("--locks", default="5,10,20,40,70,100", help="sizes of test_locks_N; `-` for none")
    parser.add_argument("--localised", default="10,20,40,80", help="sizes of p1 to pn (slides 26 to 28); `-` for none")
    parser.add_argument("--option", action="append", default=[], help="ENGINE.OPTION=VALUE for all checks; repeatable")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        checks = Checks(Path(scratch), given.timeout, tuple(given.option))
        if given.rows != "-":
            slide_68(given.folder, checks, given.rows)
        counters = ("refinements", "predicates", "average", "nodes", "solver_calls")
        if given.locks != "-":
            growth("test_locks_N", locks, checks, _sizes(given.locks), counters)
        if given.localised != "-":
            for title, options in LOCALISED.items():
                growth(title, correlated_locks, checks, _sizes(given.localised), counters, options)


if __name__ == "__main__":
    main()
