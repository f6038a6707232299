"""A failing run in the source's words: the lines that ran, what changed there, and what is wrong at the end."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from counterpoint.core.patterns import regex
from counterpoint.core.records import dataclass
from counterpoint.core.source import SourceLocation
from counterpoint.execute.inputs import ReplayInputs
from counterpoint.execute.memory import Memory
from counterpoint.execute.outcome import Limits, Violated
from counterpoint.explain.assertions import assertion
from counterpoint.explain.bearing import Bearing
from counterpoint.explain.changes import Told
from counterpoint.explain.checked import Checked
from counterpoint.explain.expressions import Expressions
from counterpoint.explain.failing import Failing, Failure
from counterpoint.explain.folding import Fold, Item
from counterpoint.explain.leaks import LastPointer, leak, lost_block
from counterpoint.explain.telling import Telling
from counterpoint.explain.walking import Outline
from counterpoint.explain.watching import Watched, is_library
from counterpoint.program import model as p
from counterpoint.program.inputs import Input
from counterpoint.program.source_lines import SourceLines

FIRST_STEPS: Final = 100
LAST_STEPS: Final = 400
"""Lines of a long run that are kept."""

SECONDS: Final = 2.0
"""For each of the three or four runs that a story is told from."""

_STEPS: Final = 4
"""Instructions of the program before any pass for one of the unprepared program, at most."""

_SAYS_NOTHING: Final = regex(r"[{}();\s]*(?:else[{}\s]*)?$|do\s*\{?$")
_MOVES: Final = regex(r"(?:return|break|continue|goto)\b")


ASSERTION: Final = "unreach-call"
"""The kind of checks whose words are in the source."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line that ran, and what changed there. `folded`: it stands for so many iterations of the loop there; `aside`:
    it does not bear on the failure."""

    at: SourceLocation
    source: str
    changes: tuple[Told, ...]
    depth: int
    folded: int = 0
    aside: bool = False


@dataclass(frozen=True, slots=True)
class Story:
    """`at` is the place of the failure in the user's source; `omitted` lines were left out of the middle."""

    lines: tuple[Line, ...]
    omitted: int
    at: SourceLocation
    failure: Failure | None


def story(
    program: p.Program, check: int, inputs: Sequence[Input], steps: int, seconds: float = SECONDS
) -> Story | None:
    """The run of `inputs` that fails the check after about so many instructions, of a program before any pass; None if
    that program's run does not end so, or takes more seconds."""
    checked = Checked(program, check)
    watched = Watched(program, checked.operands())
    limits = Limits(steps=_STEPS * steps + 10_000, seconds=min(seconds, SECONDS))
    outlines: list[Outline] = []

    def outlined(memory: Memory) -> Outline:
        outlines.append(Outline(watched))
        return outlines[-1]

    run = watched.run(ReplayInputs(inputs), limits, outlined)
    if run.outcome != Violated(check):
        return None
    items = outlines[-1].items()
    omitted = max(0, len(items) - FIRST_STEPS - LAST_STEPS)
    kept = items[:FIRST_STEPS] + items[-LAST_STEPS:] if omitted else items
    telling = _told(watched, inputs, limits, kept)
    sources = SourceLines(program.sources)
    failure = _failure(watched, checked, telling, inputs, limits)
    if failure is None and program.checks[check].kind == ASSERTION:
        failed, place = program.checks[check], telling.user_place(telling.place)
        exact = (failed.at.file, failed.at.line) == (place.file, place.line)
        place = replace(place, column=failed.at.column if exact else 0)
        failure = assertion(telling, sources, place, failed.message)
    relevant = _relevant(watched, inputs, limits, failure, program.checks[check].kind == ASSERTION)
    entries = {telling.watched.entries[name] for name in telling.watched.program.functions}
    lines = _joined(
        [
            _line(telling, sources, item, told, relevant)
            for item, told in telling.told
            if told or item.depth > 0 or item.place not in entries
        ]
    )
    last = len(lines) - 1
    shown = tuple(line for number, line in enumerate(lines) if number == last or _says_something(line))
    return Story(shown, omitted, telling.user_place(telling.place), failure)


def _told(watched: Watched, inputs: Sequence[Input], limits: Limits, items: list[Item]) -> Telling:
    tellings: list[Telling] = []

    def told(memory: Memory) -> Telling:
        tellings.append(Telling(watched, memory, items))
        return tellings[-1]

    watched.run(ReplayInputs(inputs), limits, told)
    tellings[-1].close()
    return tellings[-1]


def _failure(
    watched: Watched, checked: Checked, telling: Telling, inputs: Sequence[Input], limits: Limits
) -> Failure | None:
    for place, _, _, i in checked.sites():
        made = Expressions(watched.program.names, place).made(i.holds)
        if isinstance(made, p.NoLeak) and place.name == telling.frames[-1].function:
            return _leak(watched, telling, inputs, limits, made.reachable_ok)
    return Failing(telling, checked, telling.naming()).failure()


def _leak(
    watched: Watched, telling: Telling, inputs: Sequence[Input], limits: Limits, reachable_ok: bool
) -> Failure | None:
    block = lost_block(telling.memory, reachable_ok)
    item = telling.objects.by_base.get(block.base) if block is not None else None
    if item is None:
        return None
    followed: list[LastPointer] = []

    def follow(memory: Memory) -> LastPointer:
        followed.append(LastPointer(watched, memory, item.base))
        return followed[-1]

    watched.run(ReplayInputs(inputs), limits, follow)
    return leak(item, followed[-1])


def _relevant(
    watched: Watched, inputs: Sequence[Input], limits: Limits, failure: Failure | None, guarded: bool
) -> list[int] | None:
    """The steps that bear on the failure, in order; None if that is not known."""
    followed: list[Bearing] = []

    def follow(memory: Memory) -> Bearing:
        followed.append(Bearing(watched, memory))
        return followed[-1]

    watched.run(ReplayInputs(inputs), limits, follow)
    about = set(failure.steps) if failure is not None else set()
    found = followed[-1].relevant(about, guarded)
    return sorted(found) if found is not None else None


def _line(
    telling: Telling, sources: SourceLines, item: Item, told: list[Told], relevant: list[int] | None
) -> Line:
    at = telling.places[item.place].at
    first, last = (item.first, item.last) if isinstance(item, Fold) else (item.number, item.number)
    aside = False
    if relevant is not None:
        next_ = bisect_left(relevant, first)
        aside = next_ == len(relevant) or relevant[next_] > last
    folded = item.iterations if isinstance(item, Fold) else 0
    return Line(at, sources.line(at), tuple(told), max(0, item.depth), folded, aside)


def _joined(lines: list[Line]) -> list[Line]:
    """Lines that follow upon themselves in the same call as one."""
    done: list[Line] = []
    for line in lines:
        last = done[-1] if done else None
        if last is None or last.folded or line.folded or _where(last) != _where(line):
            done.append(line)
            continue
        changes = {told.name: told for told in (*last.changes, *line.changes)}
        done[-1] = replace(line, changes=tuple(changes.values()), aside=last.aside and line.aside)
    return done


def _where(line: Line) -> tuple[str, int, int]:
    return line.at.file, line.at.line, line.depth


def _says_something(line: Line) -> bool:
    """Whether a line moves control, calls something, or changed anything."""
    if is_library(line.at) or not line.at.line:
        return False
    if line.changes or line.folded or not line.source:
        return bool(line.changes or line.folded)
    if _SAYS_NOTHING.match(line.source):
        return False
    return "(" in line.source or _MOVES.match(line.source) is not None
