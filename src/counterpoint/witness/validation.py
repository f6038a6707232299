"""Others' witnesses: confirmed where the verdict holds as they say, refuted where what they say does not hold.

Nothing that a witness says is believed. Its invariants are checks of a copy of the program (`checked_copy.py`); a proof
of that copy, or a run that fails in it, is judged as any other. A violation that it tells of has to fail as it says, in
a copy that runs only while the witness is followed (`monitor.py`), and then again on the program itself.
"""

from __future__ import annotations

import math
import re
import struct
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
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
from counterpoint.evidence.verdict import Unsafe
from counterpoint.evidence.verdict import Violation as FailingRun
from counterpoint.execute.subject import UNPREPARED, Subject, compile_subject
from counterpoint.frontend.annotations.expressions import NoExpression
from counterpoint.frontend.c.clang import macros
from counterpoint.frontend.task import SourceTask
from counterpoint.portfolio.processes import Send
from counterpoint.portfolio.replay import confirm
from counterpoint.portfolio.request import Request
from counterpoint.portfolio.result import CheckResult, InputValue, Outcome
from counterpoint.portfolio.run import ShowProgress, run, search
from counterpoint.portfolio.validation import Accepted, answered, judge
from counterpoint.program import model as m
from counterpoint.program.inputs import Input, MemoryInput, ScalarInput
from counterpoint.witness.checked_copy import MARK, CheckedCopy, NotUnderstood, located
from counterpoint.witness.document import FOLLOW, RETURN, Correctness, Violation, Witness
from counterpoint.witness.expression import INSERTED, Names
from counterpoint.witness.insertions import copied
from counterpoint.witness.monitor import Monitor
from counterpoint.witness.reading import read_witness
from counterpoint.witness.source import real, text_of
from counterpoint.witness.syntax import Call, Syntax, syntax_of

REFUTED_REASON: Final = "WITNESS_REFUTED"
OPEN_REASON: Final = "WITNESS_OPEN"
"""Reasons of UNKNOWN that only a witness can have: the result says nothing of the program then."""

INVARIANT: Final = "the required invariant"
"""How the messages of checks begin that `__counterpoint_invariant` makes."""

_OF_THE_COPY: Final = ("__BASE_FILE__", "__TIMESTAMP__")
"""What means something else in a copy of a file."""

_SHARE: Final = 0.6
"""Of the time, for the property itself, where the invariants are shown apart from it."""

_NUMBER: Final = re.compile(r"\(?([+-]?(?:0[xX][0-9a-fA-F]+|\d+))[uUlL]*(?:\s*-\s*(\d+)[uUlL]*)?\)?")


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
        try:
            monitor = Monitor(files, self._names(files))
            monitor.write(witness)
            subject = self._copied(monitor.contents(), "monitored", self.task)
        except (NotUnderstood, NoExpression) as error:
            return self._open(str(error))
        focused = self._at_the_target(subject, monitor)
        if focused is None:
            return replace(self.base, reason=REFUTED_REASON, detail="nothing of the property can fail at its target")
        given = tuple(_returned(witness, original, files))
        self.send(Progress("witness", "following"))
        if given:
            with suppress(EvidenceRejected, Undecided, Unsupported, OutOfBudget):
                confirm(focused, _mapped(given, original, focused), self.budget.share(0.5))
                return self._on_the_program(original, given)
        result = search(self._within(1.0), focused, self.base, self.budget, self.send)
        match result.outcome:
            case Outcome.FALSE if result.counterexample is not None:
                return self._on_the_program(focused, tuple(map(_input, result.counterexample.inputs)))
            case Outcome.TRUE:
                return replace(self.base, reason=REFUTED_REASON, detail="no run that follows it violates the property")
        return replace(self.base, reason=result.reason, detail=result.detail)

    def _at_the_target(self, subject: Subject, monitor: Monitor) -> Subject | None:
        """Only checks of the target's statement count; what has no line there (lost memory, library models) counts
        wherever it is. None where nothing is left."""
        assert monitor.target is not None
        path, first, last = monitor.target
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


def _returned(witness: Violation, original: Subject, files: Mapping[Path, Syntax]) -> Iterator[Input]:
    """What calls return by the waypoints that say just one value."""
    program = original.program(UNPREPARED)
    bits = dict(_widths(program))
    for segment in witness.segments:
        point = segment[-1]
        if point.type != RETURN or point.action != FOLLOW:
            continue
        with suppress(NotUnderstood):
            _, syntax = located(files, point.location)
            call = _call(syntax, point.location.line, point.location.column)
            site = _site(program, syntax, call) if call is not None else None
            _, equal, text = point.constraint.partition("==")
            if site is not None and site in bits and equal:
                value = bits_of(text.strip(), bits[site], program.sites[site].type)
                if value is not None:
                    yield ScalarInput(site, value, bits[site])


def _widths(program: m.Program) -> Iterator[tuple[int, int]]:
    for function in program.functions.values():
        for block in function.blocks:
            for one in block.instructions:
                if isinstance(one, m.Nondet):
                    yield one.site, one.result.type.bits


def _call(syntax: Syntax, line: int, column: int) -> Call | None:
    if column:
        offset = syntax.text.offset(line, column)
        return next((call for call in syntax.calls if call.close == offset), None)
    on_line = [call for call in syntax.calls if syntax.text.place(call.close)[0] == line]
    return min(on_line, key=lambda call: call.close, default=None)


def _site(program: m.Program, syntax: Syntax, call: Call) -> int | None:
    for site in program.sites:
        if (site.kind, site.name) != ("call", call.callee):
            continue
        if syntax.text.offset_of(site.at.file, site.at.line, site.at.column) == call.range.begin:
            return site.index
    return None


def bits_of(text: str, bits: int, type_: str) -> int | None:
    """A constant of C as the bits of a value of so many; None for what is no plain number."""
    found = _NUMBER.fullmatch(text)
    if type_ in ("float", "double"):
        with suppress(ValueError, OverflowError, struct.error):
            value = float(text.rstrip("fFlL") if not text.lower().startswith("0x") else text)
            if math.isfinite(value):
                pack, unpack = ("<f", "<I") if bits == 32 else ("<d", "<Q")
                return int(struct.unpack(unpack, struct.pack(pack, value))[0])
        return None
    if found is None or len(text) > 60:
        return None
    digits = found[1].lower().lstrip("+-")
    octal = len(digits) > 1 and digits[0] == "0" and digits.isdecimal()
    number = int(digits, 8 if octal and set(digits) <= set("01234567") else 16 if digits.startswith("0x") else 10)
    number = -number if found[1].startswith("-") else number
    number -= int(found[2]) if found[2] else 0
    return number & ((1 << bits) - 1)
