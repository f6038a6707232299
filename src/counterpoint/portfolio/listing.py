"""The user's sources as a page shows them, with the lines that tests executed.

They are made in a process beside the engines, from runs of its own: a short native search, whose inputs the interpreter
runs again. A check waits for them only where it has time left.
"""

from __future__ import annotations

import os
import select
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from counterpoint.core.budget import Budget
from counterpoint.core.errors import InternalError, Unsupported, UnusableInput
from counterpoint.core.files import read_given
from counterpoint.execute.covered_lines import CoveredLines, Lines, lines_with_code
from counterpoint.execute.inputs import InputSource, RandomInputs, ReplayInputs, SmallInputs
from counterpoint.execute.native.build import NotNative, SearchEnd
from counterpoint.execute.outcome import Limits
from counterpoint.execute.snapshots import SPANS, constants
from counterpoint.execute.subject import UNPREPARED, WRITTEN, Subject
from counterpoint.portfolio.processes import Child, Send, spawn
from counterpoint.portfolio.result import Listing, SourceText
from counterpoint.program.inputs import Input
from counterpoint.program.model import Program
from counterpoint.program.names import plain
from counterpoint.program.source_lines import LARGEST_FILE, SourceLines

NATIVE_SECONDS, NATIVE_RUNS, NATIVE_STEPS, KEPT = 0.5, 20_000, 3_000_000, 40
"""Of the native search: its limits, those of each run in block entries, inputs that the interpreter runs as well."""

SECONDS, RUNS, STEPS = 1.5, 60, 2_000_000
"""Of the interpreter's runs: seconds for all, how many, instructions of each."""

PATIENCE: Final = 2.0
"""Seconds that a check waits for the listing once it has its answer."""

LARGEST: Final = 6_000_000
"""Bytes of all files together that are kept."""


def given(files: tuple[Path, ...]) -> Listing:
    """The files as they were given, for a check that ends before more is known; what cannot be read is left out."""
    found, left = [], LARGEST
    for path in files:
        try:
            content = read_given(path, "source file", LARGEST_FILE)
        except UnusableInput:
            continue
        left -= len(content)
        if left >= 0:
            found.append(SourceText(str(path), tuple(content.decode("utf-8", "replace").split("\n"))))
    return Listing(tuple(found), note="the check ended before tests were run")


@contextmanager
def listed(subject: Subject, wanted: bool, seed: int, budget: Budget) -> Iterator[Callable[[], Listing | None]]:
    """Makes the listing in a process of its own, if `wanted`; the call waits a little for it."""
    if not wanted:
        yield lambda: None
        return

    def work(send: Send) -> None:
        os.nice(5)
        _tell(subject, seed, send)

    child = spawn(work)
    try:
        yield lambda: _outcome(child, subject, budget)
    finally:
        child.kill()


def _outcome(child: Child, subject: Subject, budget: Budget) -> Listing:
    """The last one that was sent; at least the files that were given."""
    patience = Budget(min(PATIENCE, budget.remaining()))
    found = given(subject.task.files)
    while True:
        for message in child.receive():
            found = message if isinstance(message, Listing) and message.files else found
        left = patience.remaining()
        if child.ended or left <= 0:
            return found
        select.select([child.reader], [], [], left)


def _tell(subject: Subject, seed: int, send: Send) -> None:
    program, entry = _program(subject), subject.task.entry
    send(_listing(program, entry, {}, 0, "the tests for coverage did not end in time"))
    try:
        covered = CoveredLines(program)
        runs = _run(subject, covered, seed)
    except Unsupported as error:
        send(_listing(program, entry, {}, 0, str(error)))
        return
    send(_listing(program, entry, covered.reached, runs, ""))


def _program(subject: Subject) -> Program:
    """The program before any pass, in which every line has its code, if that is within the model."""
    try:
        return subject.program(WRITTEN)
    except (InternalError, Unsupported, UnusableInput):
        return subject.program(UNPREPARED)


def _run(subject: Subject, covered: CoveredLines, seed: int) -> int:
    """The number of runs that were followed."""
    found, runs = _found_natively(subject, seed), 0
    limit = Budget(SECONDS)
    for inputs in _inputs(found, covered.program, seed):
        if limit.remaining() <= 0 or runs >= RUNS:
            break
        covered.run(inputs, Limits(steps=STEPS, depth=2_000, seconds=limit.remaining()))
        runs += 1
    return runs


def _found_natively(subject: Subject, seed: int) -> list[tuple[Input, ...]]:
    """Inputs with which native runs covered something new, or failed a check."""
    try:
        found = subject.native(UNPREPARED).search(
            seed=seed, seconds=NATIVE_SECONDS, runs=NATIVE_RUNS, steps=NATIVE_STEPS, told=KEPT
        )
        with closing(found):
            for told in found:
                if isinstance(told, SearchEnd):
                    return [*([told.violation.inputs] if told.violation else ()), *told.corpus]
    except NotNative:
        pass
    return []


def _inputs(found: list[tuple[Input, ...]], program: Program, seed: int) -> Iterator[InputSource]:
    yield ReplayInputs(())
    yield from map(ReplayInputs, found)
    pool = constants(program)
    for number in range(RUNS):
        span, own = SPANS[number % len(SPANS)], seed * 1_000_003 + number
        yield SmallInputs(own, span, pool) if span else RandomInputs(own, pool)


def _listing(program: Program, entry: str, reached: Lines, runs: int, note: str) -> Listing:
    """All files with code, first that of the entry."""
    code, sources = lines_with_code(program), SourceLines(program.sources)
    first = next((function.at.file for function in program.functions.values() if function.name == plain(entry)), "")
    files, left = [], LARGEST
    for name in sorted(code, key=lambda name: (name != first, name)):
        lines = tuple(sources.lines(name))
        left -= sum(map(len, lines)) + len(lines)
        if not lines or left < 0:
            continue
        functions = sorted({(f.at.line, f.name) for f in program.functions.values() if f.at.file == name and f.at.line})
        there = reached.get(name, set()) & code[name]
        named = tuple((function, line) for line, function in functions)
        files.append(SourceText(name, lines, tuple(sorted(code[name])), tuple(sorted(there)), named))
    return Listing(tuple(files), runs, note)
