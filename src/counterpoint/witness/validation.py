"""Others' witnesses: confirmed where the verdict holds as they say, refuted where what they say does not hold.

Nothing that a witness says is believed. Its invariants are checks of a copy of the program (`checked_copy.py`); a proof
of that copy, or a run that fails in it, is judged as any other. A violation that it tells of has to fail as it says, in
a copy that runs only while the witness is followed (`monitor.py`), and then again on the program itself.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Final

from counterpoint import property as properties
from counterpoint.core.budget import Budget
from counterpoint.core.errors import (
    CompilationFailed,
    EvidenceRejected,
    OutOfBudget,
    Undecided,
    Unsupported,
    UnusableInput,
)
from counterpoint.core.events import Progress
from counterpoint.core.records import dataclass
from counterpoint.evidence.verdict import Unsafe
from counterpoint.evidence.verdict import Violation as FailingRun
from counterpoint.execute.subject import UNPREPARED, Subject, compile_subject
from counterpoint.frontend.annotations.expressions import NoExpression
from counterpoint.frontend.c.clang import macros
from counterpoint.frontend.editing.insertions import copied
from counterpoint.frontend.editing.source import real, text_of
from counterpoint.frontend.editing.syntax import Syntax, syntax_of
from counterpoint.frontend.task import SourceTask
from counterpoint.portfolio.processes import Send
from counterpoint.portfolio.replay import confirm
from counterpoint.portfolio.request import Request
from counterpoint.portfolio.result import CheckResult, InputValue, Outcome
from counterpoint.portfolio.run import ShowProgress, run, search
from counterpoint.portfolio.validation import Accepted, answered, judge
from counterpoint.program.inputs import Input, MemoryInput, ScalarInput
from counterpoint.witness.checked_copy import MARK, CheckedCopy, NotUnderstood
from counterpoint.witness.document import Correctness, Violation, Witness
from counterpoint.witness.expression import INSERTED, Names
from counterpoint.witness.monitor import Monitor, target_of
from counterpoint.witness.reading import read_witness
from counterpoint.witness.values import goes_as_said, returned

REFUTED_REASON: Final = "WITNESS_REFUTED"
OPEN_REASON: Final = "WITNESS_OPEN"
"""Reasons of UNKNOWN that only a witness can have: the result says nothing of the program then."""

INVARIANT: Final = "the required invariant"
"""How the messages of checks begin that `__counterpoint_invariant` makes."""

REPLAY_SHARE: Final = 0.15
"""Of the time, for the run with what a witness says that calls returned, and 0 for what it does not speak of: that run
may never end, and a search finds the rest."""

_OF_THE_COPY: Final = ("__BASE_FILE__", "__TIMESTAMP__")
"""What means something else in a copy of a file."""

_SHARE: Final = 0.6
"""Of the time, for the property itself, where the invariants are shown apart from it."""


class Answer(StrEnum):
    """What became of a witness."""

    CONFIRMED = "CONFIRMED"
    REFUTED = "REFUTED"
    UNKNOWN = "UNKNOWN"


@dataclass(frozen=True, slots=True)
class Validated:
    """The answer, a sentence on it, and what is known of the program: with TRUE, its proof is about the copy."""

    answer: Answer
    why: str
    result: CheckResult


def validate(origin: Path, request: Request, show: ShowProgress | None = None) -> Validated:
    """Judges the witness in `origin` on what the request asks, within its limits. Raises UnusableInput as `run` does,
    for a witness that is none, and for one about something else."""
    witness = read_witness(origin)

    def decide(request: Request, task: SourceTask, base: CheckResult, budget: Budget, send: Send) -> CheckResult:
        refuse_differences(origin, witness, base)
        if task.is_translated:
            raise UnusableInput(f"{origin}: witnesses are about programs in C")
        send(Progress("front end", "compiling"))
        with tempfile.TemporaryDirectory(prefix="witness-") as folder:
            work = _Work(request, task, base, budget, send, Path(folder))
            return work.correctness(witness) if isinstance(witness, Correctness) else work.violation(witness)

    result = run(replace(request, findings="first", reuse=None), show, decide)
    return _validated(witness, result)


def _validated(witness: Witness, result: CheckResult) -> Validated:
    holds = isinstance(witness, Correctness)
    if result.reason == REFUTED_REASON:
        return Validated(Answer.REFUTED, result.detail, result)
    match result.outcome:
        case Outcome.TRUE:
            count = len(witness.invariants) + len(witness.contracts) if isinstance(witness, Correctness) else 0
            also = f"all that it says ({count} statements) is proved, and " if count else ""
            said = f"{also}the property is proved"
            return Validated(Answer.CONFIRMED, said, result)
        case Outcome.FALSE if holds:
            return Validated(Answer.REFUTED, "a run of the program violates the property", result)
        case Outcome.FALSE:
            return Validated(Answer.CONFIRMED, "a run as it says violates the property", result)
    return Validated(Answer.UNKNOWN, result.detail, result)


def refuse_differences(origin: Path, witness: Witness, now: CheckResult) -> None:
    """Raises UnusableInput, naming the first difference between what the witness is about and what is asked now."""
    about = witness.metadata
    if len(about.files) != len(now.files):
        raise UnusableInput(f"{origin} is about {len(about.files)} files, not {len(now.files)}")
    for name, then, here, digest in zip(about.files, about.hashes, now.files, now.digests, strict=True):
        if len(then) == 64 and then != digest:
            raise UnusableInput(f"{origin} is about {name}, and {here} has other contents: it has no say on that")
    formulas = re.findall(r"CHECK\s*\(\s*(.*?)\s*\)\s*(?=CHECK|\Z)", about.specification, re.DOTALL)
    if not formulas:
        raise UnusableInput(f"{origin}: its specification is no CHECK( init(main()), LTL(...) )")
    stated = properties.from_specification(tuple(formulas), str(origin))
    if set(stated.kinds) != set(properties.named(now.property).kinds):
        raise UnusableInput(f"{origin} is about {stated.name}, not {now.property}: give --property {stated.name}")
    if about.data_model != now.data_model:
        option = f"give --data-model {about.data_model}"
        raise UnusableInput(f"{origin} is about the data model {about.data_model}, not {now.data_model}: {option}")


@dataclass(frozen=True, slots=True)
class _Work:
    """One witness, judged in the worker's process."""

    request: Request
    task: SourceTask
    base: CheckResult
    budget: Budget
    send: Send
    folder: Path

    def _files(self) -> dict[Path, Syntax]:
        return {file: syntax_of(self.task, text_of(file)) for file in self.task.files}

    def _names(self, files: Mapping[Path, Syntax]) -> Names:
        """Raises NotUnderstood where what is written into the files would mean something else in them."""
        macro = frozenset[str]().union(*(macros(self.task, file) for file in files))
        if taken := sorted(macro & INSERTED):
            raise NotUnderstood(f"`{taken[0]}` is a macro of the program")
        for name in _OF_THE_COPY:
            if any(name.encode() in syntax.text.content for syntax in files.values()):
                raise NotUnderstood(f"`{name}` is another one in a copy of the program")
        types = frozenset[str]().union(*(syntax.types for syntax in files.values()))
        declared = frozenset[str]().union(*(syntax.declared for syntax in files.values()))
        if own := sorted(name for name in declared | types | macro if name.startswith("counterpoint_")):
            raise NotUnderstood(f"the program's `{own[0]}` is a name of the checker's own")
        variables = {variable.name for syntax in files.values() for variable in syntax.variables}
        return Names(macro, types - variables, declared)

    def _copied(self, contents: Sequence[tuple[Path, bytes]], name: str, task: SourceTask) -> Subject:
        folder = self.folder / name
        folder.mkdir()
        try:
            return compile_subject(copied(task, contents, folder))
        except CompilationFailed as error:
            raise NotUnderstood(f"with it the program cannot be compiled: {error}") from None

    def _open(self, why: str) -> CheckResult:
        return replace(self.base, reason=OPEN_REASON, detail=why)

    # ------------------------------------------------------------ correctness

    def correctness(self, witness: Correctness) -> CheckResult:
        """The property and all invariants are shown, or a run violates one of them."""
        compile_subject(self.task)  # what is wrong with the program itself is told as such
        files = self._files()
        reachability = self.task.property == "unreach-call"
        try:
            names = self._names(files)
            copy = CheckedCopy(files, names, checked=reachability)
            copy.write(witness)
            if copy.refused:
                return self._open(copy.refused[0])
            subject = self._copied(copy.contents(), "property", self.task)
            result = search(self._within(1.0 if reachability else _SHARE), subject, self.base, self.budget, self.send)
            if result.outcome is Outcome.FALSE:
                return self._broken(subject, result)
            if reachability or result.outcome is not Outcome.TRUE or not (witness.invariants or witness.contracts):
                return result
            return self._invariants_apart(witness, files, names, result)
        except NotUnderstood as error:
            return self._open(str(error))

    def _within(self, share: float) -> Request:
        return replace(self.request, timeout=self.budget.remaining() * share, findings="first")

    def _broken(self, subject: Subject, result: CheckResult) -> CheckResult:
        """A run violates a check of the copy: an invariant, or the property, which the program itself has to show."""
        found = result.counterexample
        assert found is not None
        message = subject.defined.checks[found.check].message
        if message.startswith(f"{INVARIANT} `{MARK}"):
            text = message.partition(MARK)[2].partition("` does not hold")[0]
            return replace(self.base, reason=REFUTED_REASON, detail=f"`{text}` does not hold: {_run_of(found.inputs)}")
        return self._on_the_program(subject, tuple(map(_input, found.inputs)))

    def _invariants_apart(
        self, witness: Correctness, files: Mapping[Path, Syntax], names: Names, proved: CheckResult
    ) -> CheckResult:
        """The result of the property, if the invariants hold as well: on runs that violate nothing else."""
        copy = CheckedCopy(files, names)
        copy.write(witness)
        subject = self._copied(copy.contents(), "invariants", replace(self.task, property="unreach-call"))
        wanted = frozenset(
            check.index for check in subject.defined.checks if check.message.startswith(f"{INVARIANT} `{MARK}")
        )
        if not wanted:
            return proved
        request = replace(self._within(1.0), property="unreach-call")
        result = search(request, subject.focused(wanted), self.base, self.budget, self.send)
        match result.outcome:
            case Outcome.TRUE:
                return proved
            case Outcome.FALSE:
                return self._broken(subject.focused(wanted), result)
        return replace(self.base, reason=result.reason, detail=result.detail)

    # ------------------------------------------------------------ violations

    def violation(self, witness: Violation) -> CheckResult:
        """A run that follows the witness violates the property, or none does."""
        original = compile_subject(self.task)
        files = self._files()
        self.send(Progress("witness", "following"))
        try:
            if (found := self._replayed(witness, original, files)) is not None:
                return found
            monitor = Monitor(files, self._names(files))
            monitor.write(witness)
            subject = self._copied(monitor.contents(), "monitored", self.task)
        except (NotUnderstood, NoExpression) as error:
            return self._open(str(error))
        assert monitor.target is not None
        focused = self._at_the_target(subject, monitor.target)
        if focused is None:
            return replace(self.base, reason=REFUTED_REASON, detail="nothing of the property can fail at its target")
        given = tuple(one.input for one in returned(witness, original.program(UNPREPARED), files))
        if given:
            with suppress(EvidenceRejected, Undecided, Unsupported, OutOfBudget):
                confirm(focused, _mapped(given, original, focused), self.budget.share(REPLAY_SHARE))
                return self._on_the_program(original, given)
        result = search(self._within(1.0), focused, self.base, self.budget, self.send)
        match result.outcome:
            case Outcome.FALSE if result.counterexample is not None:
                return self._on_the_program(focused, tuple(map(_input, result.counterexample.inputs)))
            case Outcome.TRUE:
                return replace(self.base, reason=REFUTED_REASON, detail="no run that follows it violates the property")
        return replace(self.base, reason=result.reason, detail=result.detail)

    def _replayed(self, witness: Violation, original: Subject, files: Mapping[Path, Syntax]) -> CheckResult | None:
        """The run of a witness that says nothing but what calls returned, if the program goes as it says; else None."""
        said = tuple(returned(witness, original.program(UNPREPARED), files))
        points = [segment[-1] for segment in witness.segments]
        focused = self._at_the_target(original, target_of(files, points[-1]))
        told = [one.point for one in said if one.is_exact] == points[:-1]
        if not told or focused is None or any(len(segment) > 1 for segment in witness.segments):
            return None
        given = tuple(one.input for one in said)
        with suppress(EvidenceRejected, Undecided, Unsupported, OutOfBudget):
            ran = confirm(focused, given, self.budget.share(REPLAY_SHARE)).interpreted
            if ran is not None and goes_as_said(given, ran.inputs):
                return self._on_the_program(original, given)
        return None

    def _at_the_target(self, subject: Subject, target: tuple[Path, int, int]) -> Subject | None:
        """Only checks of the target's statement count; what has no line there (lost memory, library models) counts
        wherever it is. None where nothing is left."""
        path, first, last = target
        own = {real(str(file)) for file in self.task.files}
        wanted = frozenset(
            check.index
            for check in subject.defined.checks
            if real(check.at.file) not in own
            or check.kind in ("valid-memtrack", "valid-memcleanup")
            or (real(check.at.file) == real(str(path)) and first <= check.at.line <= last)
        )
        return subject.focused(wanted) if wanted else None

    def _on_the_program(self, subject: Subject, inputs: Sequence[Input]) -> CheckResult:
        """The run of the copy, made by the program itself."""
        original = compile_subject(self.task)
        mapped = tuple(inputs) if subject.task == self.task else _mapped(tuple(inputs), subject, original)
        judgement = judge(Unsafe(FailingRun(0, mapped, UNPREPARED)), original, self.budget)
        if isinstance(judgement, Accepted):
            return answered(replace(self.base, engine="witness"), judgement)
        return self._open(f"a run of the copy that has the witness in it is none of the program: {judgement.detail}")


# ---------------------------------------------------------------- inputs


def _run_of(inputs: Sequence[InputValue]) -> str:
    """A run in a few words."""
    said = [f"{given.name} = {given.text}" for given in inputs if given.text and given.kind == "call"]
    shown = ", ".join(said[:8]) + (", .." if len(said) > 8 else "")
    return f"a run with {shown}" if said else "on the run without inputs"


def _input(given: InputValue) -> Input:
    if given.value is not None:
        return ScalarInput(given.site, given.value, given.bits)
    return MemoryInput(given.site, given.size or 0, given.contents)


def _mapped(inputs: Sequence[Input], of: Subject, to: Subject) -> tuple[Input, ...]:
    """The inputs for the other of two programs, one a copy of the other: sites of one kind and name in one line of it
    follow each other in the same order. What has none there is left out."""
    there: dict[object, list[int]] = {}
    for index, key in _keys(to):
        there.setdefault(key, []).append(index)
    counts: dict[object, int] = {}
    sites: dict[int, int] = {}
    for index, key in _keys(of):
        number = counts.get(key, 0)
        counts[key] = number + 1
        if number < len(there.get(key, ())):
            sites[index] = there[key][number]
    return tuple(
        replace(one, site=sites.get(one.site, one.site)) for one in inputs if one.site < 0 or one.site in sites
    )


def _keys(subject: Subject) -> Iterator[tuple[int, object]]:
    for site in subject.program(UNPREPARED).sites:
        name = site.name if site.kind == "call" else ""
        yield site.index, (site.kind, name, site.type, real(site.at.file), site.at.line)
