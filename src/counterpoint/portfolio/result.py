"""The result of a check as plain data, for every kind of report and for the Python API."""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from enum import StrEnum

from counterpoint.core.events import PlacePredicates
from counterpoint.core.records import dataclass
from counterpoint.core.source import SourceLocation
from counterpoint.frontend.c.compiler_warnings import CompilerWarning
from counterpoint.portfolio.recording import Recording

SCHEMA_VERSION = 1
"""Of results as JSON (docs/result-schema.json)."""

INTERRUPTED = "INTERRUPTED"
INTERNAL_ERROR = "INTERNAL_ERROR"
NO_EVIDENCE = "NO_EVIDENCE"
"""Reasons of the command itself, beside those of `evidence.verdict.Reason`."""


class Outcome(StrEnum):
    """The three answers."""

    TRUE = "TRUE"
    FALSE = "FALSE"
    UNKNOWN = "UNKNOWN"


class Answer(StrEnum):
    """What is known of one check."""

    PROVED = "proved"
    REFUTED = "refuted"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class CheckAnswer:
    """A check of the source, as the user sees it: one for all copies of an inlined line, and what is known of it.

    `check` is the index into Program.checks, `kind` a name of property.Kind, `what` says in words what is checked. Of a
    refuted one `cause` is the sub-kind ("null", "bounds", "freed", "scope", "string", or ""), `behind`: only runs that
    violate another check first were found. `by` names the engine; `why` says of an unknown one what stood in the way.
    "Proved" is about all runs up to the first violation of the same property.
    """

    check: int
    kind: str
    at: SourceLocation
    what: str
    answer: Answer
    cause: str = ""
    by: str = ""
    why: str = ""
    behind: bool = False


@dataclass(frozen=True, slots=True)
class InputValue:
    """One arbitrary value that the failing run consumed, and where.

    Scalars have `value` (its bits, unsigned) and `text` (as the source's type shows it); blocks of memory
    have `size` and `contents`, (offset, byte) pairs, all other bytes 0.
    """

    site: int
    kind: str
    name: str
    type: str
    at: SourceLocation
    bits: int = 0
    value: int | None = None
    text: str = ""
    size: int | None = None
    contents: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Change:
    """A variable, member, element or range of them (`a[2..5]`) and the value that it got, as C writes them;
    `hexadecimal` where that helps, else empty.

    `outward` says whose variable it is: 0 the call's where it changed (also for what is reached by a pointer), 1 its
    caller's, and so on; -1: of no call.
    """

    name: str
    text: str
    hexadecimal: str
    outward: int = 0


@dataclass(frozen=True, slots=True)
class ExecutedLine:
    """A source line that the failing run executed and what changed there; `depth` counts calls.

    With `folded` it stands for so many iterations of the loop at `at` that are not told one by one; `changes` are
    their last ones. What is `aside` does not bear on the failure, as far as data goes.
    """

    at: SourceLocation
    source: str
    changes: tuple[Change, ...] = ()
    depth: int = 0
    folded: int = 0
    aside: bool = False


@dataclass(frozen=True, slots=True)
class Counterexample:
    """A run that violates the property, replayed on the unprepared program.

    `confirmed` names the ways it was replayed ("interpreter", "native"); `notes` say on what it depends
    (uninitialised values, address layout). `omitted` steps were left out of the middle. `harness` is a C
    file that repeats the run (not part of the JSON result). `cause` is the sub-kind, as in CheckAnswer; `explanation`
    are sentences about the objects that it is about (where each is from, its size, who freed it). `behind`: the run
    violates another check first.
    """

    check: int
    kind: str
    message: str
    at: SourceLocation
    preparation: str
    inputs: tuple[InputValue, ...] = ()
    steps: tuple[ExecutedLine, ...] = ()
    omitted: int = 0
    confirmed: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    harness: str = ""
    cause: str = ""
    explanation: tuple[str, ...] = ()
    behind: bool = False


@dataclass(frozen=True, slots=True)
class Invariant:
    """What holds whenever a run is at a place, as C expressions. `where`: "loop", "calls of f", "at the end of f"."""

    where: str
    at: SourceLocation
    formulas: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ProofRuns:
    """Concrete runs that the proof survived: `native_runs` of the unprepared program, and `runs` of the interpreter
    with `states` at the proof's places, in which `evaluated` of its `claims` had a value. `note`: what was not run, and
    why.
    """

    native_runs: int = 0
    runs: int = 0
    states: int = 0
    claims: int = 0
    evaluated: int = 0
    seconds: float = 0.0
    note: str = ""


@dataclass(frozen=True, slots=True)
class Proof:
    """A certificate that the checker accepted; `content` is what `certify` needs to check it again.

    `invariants` are its facts for people, `runs` what it survived.
    """

    kind: str
    summary: str
    content: Mapping[str, object]
    invariants: tuple[Invariant, ...] = ()
    runs: ProofRuns = ProofRuns()


@dataclass(frozen=True, slots=True)
class EngineRun:
    """What one engine did in one go: its answer, what it says about it, its seconds, its counters.

    `told` and `heard` count the facts that it gave to the others and got from them. `predicates` are those that it
    tracked at the end, for each place that had any. It `started` so many seconds after the check did.
    """

    engine: str
    answer: str
    detail: str
    seconds: float
    statistics: Mapping[str, int | float | str] = field(default_factory=dict)
    told: int = 0
    heard: int = 0
    predicates: tuple[PlacePredicates, ...] = ()
    started: float = 0.0


def later(runs: Iterable[EngineRun], seconds: float) -> tuple[EngineRun, ...]:
    """The runs of a part of a check that began so many seconds after the check."""
    return tuple(replace(run, started=round(run.started + seconds, 3)) for run in runs)


@dataclass(frozen=True, slots=True)
class SourceText:
    """A file by the name that locations give it; `code` and `covered` are lines with code, and those that runs
    executed. `functions` are (name, line)."""

    name: str
    lines: tuple[str, ...]
    code: tuple[int, ...] = ()
    covered: tuple[int, ...] = ()
    functions: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Listing:
    """`runs` is how many runs the coverage is of; 0: it is not known, `note` says why."""

    files: tuple[SourceText, ...]
    runs: int = 0
    note: str = ""


@dataclass(frozen=True, slots=True)
class Reused:
    """What a check had from `folder` (docs/reuse.md): `answers` of the `questions` that its evidence was checked with,
    and a `proof` (whose, in words; "" where none was accepted) with facts about so many `functions`. `notes`: what did
    not count, or could not be kept."""

    folder: str
    answers: int = 0
    questions: int = 0
    proof: str = ""
    functions: int = 0
    notes: tuple[str, ...] = ()

    def sentences(self) -> tuple[str, ...]:
        """`41 of 43 answers, the proof of houdini with facts about 12 functions (DIR)`, and the notes."""
        had = [f"{self.answers:,} of {self.questions:,} answers"] if self.questions else []
        facts = f"facts about {self.functions} function{'s' * (self.functions != 1)}" if self.functions else ""
        if self.proof:
            had.append(f"the proof of {self.proof}" + (f" with {facts}" if facts else ""))
        elif facts:
            had.append(f"{facts} as candidates")
        return (f"{', '.join(had) or 'nothing'} ({self.folder})", *self.notes)


@dataclass(frozen=True, slots=True)
class Cached:
    """Of the `folder` with earlier results (portfolio/kept_results.py): when the result was found (ISO 8601, UTC), ""
    if just now; whether its evidence was `rechecked` since; a `note` on what did not count or could not be kept."""

    folder: str
    answered: str = ""
    rechecked: bool = False
    note: str = ""


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The answer to one check with its evidence. `seconds` is wall time, `memory` the peak in bytes. It was `compiled`
    so many seconds after the check began, 0 if that is not known.

    `violated` is the sub-property of a FALSE; `reason`, `detail` and `advice` belong to UNKNOWN.
    `compilation` holds the options that it takes to compile the files in the same way again. `features` say
    what chose the schedule of `auto` (portfolio/features.Features); empty where engines were named. `recordings` are
    kept for pictures, and a `listing`, if the request asked for them (not part of the JSON result). `digests` are the
    SHA-256 of `files`.

    `checks` has an answer for every check, by place. `findings` are all violations that were found, one for each cause,
    `counterexample` the first of them. `known` says in sentences what is known though there is no answer. Where several
    properties were asked for, `parts` are the results of each, and the rest is that of the worst. `warnings` are the
    compiler's, the gravest first.

    `reused` says what was had from earlier checks, where the request allowed that.
    `cached`: whether an earlier check of the same text gave this very result, and what is to be said of that folder.

    Of an UNKNOWN `nearest` says which engine came nearest to an answer and what stopped it, `advice` what to try, the
    most useful first, and `next_command` the command that does that, "" if it takes more than a command.
    """

    outcome: Outcome
    property: str
    files: tuple[str, ...]
    data_model: str
    entry: str
    engine: str = ""
    seconds: float = 0.0
    memory: int = 0
    violated: str = ""
    reason: str = ""
    detail: str = ""
    advice: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    engines: tuple[EngineRun, ...] = ()
    counterexample: Counterexample | None = None
    proof: Proof | None = None
    crash_reports: tuple[str, ...] = ()
    compilation: Mapping[str, object] = field(default_factory=dict)
    features: Mapping[str, int] = field(default_factory=dict)
    recordings: tuple[Recording, ...] = ()
    digests: tuple[str, ...] = ()
    checks: tuple[CheckAnswer, ...] = ()
    findings: tuple[Counterexample, ...] = ()
    known: tuple[str, ...] = ()
    parts: tuple[CheckResult, ...] = ()
    warnings: tuple[CompilerWarning, ...] = ()
    nearest: str = ""
    next_command: str = ""
    listing: Listing | None = None
    compiled: float = 0.0
    reused: Reused | None = None
    cached: Cached | None = None

    @builtins.property
    def verdict(self) -> str:
        """`TRUE`, `FALSE(unreach-call)`, `UNKNOWN(OUT_OF_TIME)` and so on, the command's last line."""
        inside = self.violated or self.reason
        return f"{self.outcome.value}({inside})" if inside else self.outcome.value
