"""What is known of each check, as the user sees it: the checks of the source in the order of places, with answers.

Copies of a check (in functions that were inlined, in loops that were unrolled) are one; so are checks of one kind and
message at the same place, and all that look for lost memory. A check inside a function of the library is shown where
the user's code calls that function, if that is one place. A check that no run of the prepared program can get to holds,
if that program is all of it: where runs may get to something without a meaning here, what is behind was left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import TypeAlias

from counterpoint.core.errors import CounterpointError
from counterpoint.core.records import dataclass
from counterpoint.core.source import NOWHERE, CheckSite, SourceLocation
from counterpoint.execute.subject import Subject
from counterpoint.portfolio.claimed import claim_of
from counterpoint.portfolio.result import Answer, CheckAnswer, CheckResult, Counterexample, Outcome
from counterpoint.program.focus import asked, lost_among
from counterpoint.program.graph import loop_heads, reachable_functions, recursive_functions
from counterpoint.program.held import may_lose_without_end
from counterpoint.program.model import LOST, Check, Program, Unsupported

PREPARATION = "preparation"
"""What proves checks that no run of the prepared program can get to."""

NO_RUN = "no run gets there, or it holds in all that do"

MOST_NAMED = 5
"""Open checks that the detail of an UNKNOWN names."""


@dataclass(frozen=True, slots=True)
class Known:
    """For checks (indices into Program.checks): who proved them, the finding that refutes them, why they are open."""

    proved: Mapping[int, str] = field(default_factory=dict)
    refuted: Mapping[int, Counterexample] = field(default_factory=dict)
    why: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """One check of the source: `checks` are its indices in Program.checks."""

    checks: tuple[int, ...]
    kind: str
    at: SourceLocation
    what: str


def rows_of(subject: Subject, program: Program | None) -> tuple[Row, ...]:
    """The checks of the task's source; `program`, a preparation of it, tells where models of the library are called."""
    places = _places(program) if program is not None else {}
    found: dict[object, Row] = {}
    for site in subject.defined.checks:
        at, what = _shown(site, places.get(site.index, {}))
        key: object = site.kind if site.kind == LOST else (site.kind, what, at.file, at.line, at.column)
        row = found.get(key)
        if row is None:
            found[key] = Row((site.index,), site.kind, at, what)
        else:
            better = at if _is_models(row.at) and not _is_models(at) else row.at
            found[key] = replace(row, checks=(*row.checks, site.index), at=better)
    files = {str(file): number for number, file in enumerate(subject.task.files)}

    def order(row: Row) -> tuple[object, ...]:
        at = row.at
        return (_is_models(at), files.get(at.file, len(files)), at.file, at.line, at.column, row.checks)

    return tuple(sorted(found.values(), key=order))


def _shown(site: CheckSite, called_at: Mapping[_Called, None]) -> tuple[SourceLocation, str]:
    what = claim_of(site.message)
    if not _is_models(site.at) or site.kind == LOST:
        return site.at, what
    users = list(dict.fromkeys(place for place, _ in called_at if not _is_models(place)))
    names = list(dict.fromkeys(name for _, name in called_at if name))
    model = names[0] if len(names) == 1 else site.at.function
    return (users[0] if len(users) == 1 else site.at), f"{what} (in {model})" if model else what


_Called: TypeAlias = tuple[SourceLocation, str]
"""A place of the user's code, and the function of the library that it calls, "" for none."""


def _places(program: Program) -> dict[int, dict[_Called, None]]:
    """For each check the places outside of the library from which runs get to it."""
    found: dict[int, dict[_Called, None]] = {}
    for function in program.functions.values():
        for block in function.blocks:
            for instruction in block.instructions:
                if isinstance(instruction, Check):
                    found.setdefault(instruction.check, {})[_outside(instruction.at)] = None
    return found


def _outside(at: SourceLocation) -> _Called:
    model = ""
    while _is_models(at) and at.inlined_at is not None:
        model, at = at.function, at.inlined_at
    return SourceLocation(at.file, at.line, at.column, at.function), model


def _is_models(at: SourceLocation) -> bool:
    """In the library's models, or nowhere in the source."""
    return at.file.startswith("<")


# ---------------------------------------------------------------- answers


def answers(rows: Sequence[Row], known: Known, program: Program | None) -> tuple[CheckAnswer, ...]:
    """An answer for each row; `program` is the prepared one, whole, if there is one."""
    held = held_anyway(program) if program is not None and not _has_gaps(program) else frozenset()
    return tuple(_answer(row, known, held) for row in rows)


def held_anyway(program: Program) -> frozenset[int]:
    """The checks that no run of the program can get to."""
    lost = lost_among(program.checks)
    met = asked(program)
    if lost & met or may_lose_without_end(program):
        met |= lost
    return frozenset(range(len(program.checks))) - met


def _has_gaps(program: Program) -> bool:
    """Whether runs may get to what has no meaning here: nothing is known of the code behind, which was left out."""
    return any(
        isinstance(instruction, Unsupported)
        for name in reachable_functions(program)
        for block in program.functions[name].blocks
        for instruction in block.instructions
    )


def _answer(row: Row, known: Known, held: frozenset[int]) -> CheckAnswer:
    finding = next((known.refuted[check] for check in row.checks if check in known.refuted), None)
    if finding is not None:
        at = finding.at if row.kind == LOST or _is_models(row.at) else row.at
        return CheckAnswer(finding.check, row.kind, at, row.what, Answer.REFUTED, finding.cause, behind=finding.behind)
    asked_for = [check for check in row.checks if check not in held]
    first = asked_for[0] if asked_for else row.checks[0]
    if not asked_for:
        return CheckAnswer(first, row.kind, row.at, row.what, Answer.PROVED, by=PREPARATION, why=NO_RUN)
    if all(check in known.proved for check in asked_for):
        return CheckAnswer(first, row.kind, row.at, row.what, Answer.PROVED, by=known.proved[first])
    return CheckAnswer(first, row.kind, row.at, row.what, Answer.UNKNOWN, why=known.why)


def with_answers(result: CheckResult, subject: Subject, preparation: str, known: Known) -> CheckResult:
    """The result with an answer for every check, with what is known besides, and with the open checks in its detail."""
    try:
        program = subject.program(preparation)
    except CounterpointError:
        program = None
    checks = answers(rows_of(subject, program), known, program)
    result = replace(result, checks=checks)
    if result.outcome is not Outcome.UNKNOWN:
        return result
    detail = "; ".join(filter(None, (result.detail, _open(checks))))
    return replace(result, known=tuple(said(result, program)), detail=detail)


# ---------------------------------------------------------------- what is known though there is no verdict


def said(result: CheckResult, program: Program | None) -> list[str]:
    """Sentences on what is known of a task without a verdict; `program` is the prepared one."""
    counted = [check for check in result.checks if check.by != PREPARATION]
    proved = [check for check in counted if check.answer is Answer.PROVED]
    sentences = []
    if len(counted) > 1:
        sentences.append(f"{len(proved)} of {len(counted)} checks proved")
    kinds = {check.kind for check in counted if check.answer is Answer.UNKNOWN}
    if kinds == {LOST} and proved:
        sentences.append("all other checks are proved: only whether memory is lost is open")
    bound = max((_number(run.statistics.get("bound")) for run in result.engines if run.engine == "bmc"), default=0)
    if bound:
        sentences.append(f"no violation within {_times(bound)} of {_loops(program)}")
    tests = sum(_number(run.statistics.get("tests")) for run in result.engines)
    if tests:
        sentences.append(f"no violation in {tests:,} tests")
    return sentences


def _loops(program: Program | None) -> str:
    """`the loop at a.c:12`, where there is one and no recursion."""
    every = "each loop and recursion"
    if program is None or recursive_functions(program):
        return every
    heads = [function.blocks[head] for function in program.functions.values() for head in loop_heads(function)]
    if len(heads) != 1:
        return every
    (head,) = heads
    at, _ = _outside(next((i.at for i in head.instructions if i.at.line), head.terminator.at))
    return f"the loop at {at.file}:{at.line}" if at.line else "the only loop"


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0


def _times(count: int) -> str:
    return "one iteration" if count == 1 else f"{count:,} iterations"


def _open(checks: Sequence[CheckAnswer]) -> str:
    """`open: a.c:12, a.c:17 and 3 more`."""
    places = dict.fromkeys(place(check) for check in checks if check.answer is Answer.UNKNOWN)
    if not places:
        return ""
    named = ", ".join(list(places)[:MOST_NAMED])
    more = f" and {len(places) - MOST_NAMED} more" if len(places) > MOST_NAMED else ""
    return f"open: {named}{more}"


def place(check: CheckAnswer) -> str:
    """File and line; of what is about no line, what it is."""
    if check.kind == LOST and check.answer is not Answer.REFUTED:
        return "lost memory"
    return f"{check.at.file}:{check.at.line}" if check.at != NOWHERE else check.what
