"""Confirms a violation on the unprepared program: natively and by the interpreter.

A run longer than the interpreter's patience is confirmed by two native builds, of the unprepared and of the
flat preparation. Where counting its steps would take long as well, both are lean ones and run side by side.
"""

from __future__ import annotations

from collections.abc import Iterable

from counterpoint import property as properties
from counterpoint.core.budget import Budget
from counterpoint.core.errors import EvidenceRejected, OutOfBudget, Undecided, Unsupported
from counterpoint.core.records import dataclass
from counterpoint.execute.inputs import ReplayInputs
from counterpoint.execute.interpreter import Run, run
from counterpoint.execute.native.build import NO_LIMIT, NativeRun, NotNative, replay_together
from counterpoint.execute.native.build import Outcome as NativeOutcome
from counterpoint.execute.outcome import Limits, StepLimit, UnsupportedAt, Violated
from counterpoint.execute.simpler import UNDETERMINED
from counterpoint.execute.subject import UNPREPARED, Subject
from counterpoint.program.inputs import Input, MemoryInput, ScalarInput
from counterpoint.program.model import Program

STEPS = 2_000_000
"""Interpreted instructions; longer runs need two native builds (docs/decisions/0002-confirmation.md)."""

NATIVE_STEPS = 400_000
"""Blocks of a native run beyond which the interpreter is not even tried."""

COUNTED_STEPS = 30_000_000
"""Blocks of a native run (0.1 to 0.3 s) beyond which lean builds run from the start."""

MANY_INPUTS = 1_000
"""Values beyond which those that a replay gives anyway are left out."""

NOTED_STEPS = 200_000
"""Instructions of a run that is repeated with other undetermined values."""

_LIMITS = (NativeOutcome.INPUTS, NativeOutcome.MEMORY, NativeOutcome.DEPTH, NativeOutcome.STRAYED)
"""Ends of a native run that say nothing about the inputs."""


@dataclass(frozen=True, slots=True)
class Confirmed:
    """The failing check on the unprepared program, the ways it was seen, and the inputs that do it.

    `interpreted` is the run, None if it was too long for the interpreter.
    """

    check: int
    ways: tuple[str, ...]
    inputs: tuple[Input, ...]
    notes: tuple[str, ...]
    interpreted: Run | None


def confirm(subject: Subject, inputs: tuple[Input, ...], budget: Budget) -> Confirmed:
    """Raises EvidenceRejected if the inputs do not violate the property, Unsupported or Undecided if that
    cannot be told, OutOfBudget."""
    native = _native(subject, UNPREPARED, inputs, budget, COUNTED_STEPS)
    if native is not None and native.steps is not None:
        if native.outcome is NativeOutcome.STEPS and native.steps >= COUNTED_STEPS:
            return _confirm_lean(subject, inputs, budget)
        if native.outcome is NativeOutcome.VIOLATED and native.steps > NATIVE_STEPS:
            return _confirm_natively(subject, native, inputs, budget)
    limits = Limits(steps=STEPS, seconds=budget.remaining())
    interpreted = run(subject.program(UNPREPARED), ReplayInputs(inputs), limits)
    budget.spend()
    match interpreted.outcome:
        case Violated(check):
            _of_the_property(subject, check)
            ways = ("the interpreter",) if native is None else ("the interpreter", "native code")
            if native is not None and native.outcome is NativeOutcome.STRAYED:
                ways = ("the interpreter", "the interpreter on the prepared program")
                _interpreted_again(subject, check, inputs)
            elif native is not None:
                _same(check, native)
            notes = _notes(subject, interpreted, inputs)
            return Confirmed(check, ways, _without_last_zeros(interpreted.inputs), notes, interpreted)
        case StepLimit():
            return _confirm_natively(subject, native, inputs, budget)
        case UnsupportedAt(_, reason):
            raise Unsupported(f"the replay met what has no meaning here{': ' + reason if reason else ''}")
        case other:
            raise EvidenceRejected(f"the inputs do not violate the property: the interpreter says {other}")


def _of_the_property(subject: Subject, check: int) -> None:
    kind = subject.program(UNPREPARED).checks[check].kind
    if kind not in properties.named(subject.task.property).kinds:
        raise Undecided(f"the run violates {kind}, which is not asked for, before anything else")


def _interpreted_again(subject: Subject, check: int, inputs: tuple[Input, ...]) -> None:
    """Machine words do not say to which object a pointer belongs, so that native code cannot judge a run in which one
    comes to lie in another object: the interpreter has to see the same on another preparation."""
    again = run(subject.program("flat"), ReplayInputs(inputs), Limits(steps=STEPS)).outcome
    if again != Violated(check):
        raise EvidenceRejected(f"the interpreter sees check {check} fail, on the prepared program it says {again}")


def _same(check: int, native: NativeRun) -> None:
    if native.outcome is NativeOutcome.TIME:
        raise Undecided("the native replay did not end in time")
    if native.outcome in _LIMITS:
        raise Undecided(f"the native replay ended at a limit of its own: {native.outcome.value}")
    if native.outcome is not NativeOutcome.VIOLATED or native.detail != check:
        said = f"{native.outcome.value} {native.detail}"
        raise EvidenceRejected(f"the interpreter sees check {check} fail, native code says {said}")


def _native(
    subject: Subject, preparation: str, inputs: tuple[Input, ...], budget: Budget, steps: int = NO_LIMIT
) -> NativeRun | None:
    """None where the program cannot run natively here."""
    try:
        return subject.native(preparation).replay(inputs, steps=steps, seconds=max(0.1, budget.remaining()))
    except NotNative:
        return None


def _confirm_natively(
    subject: Subject, unprepared: NativeRun | None, inputs: tuple[Input, ...], budget: Budget
) -> Confirmed:
    prepared = _native(subject, "flat", inputs, budget)
    if unprepared is None or prepared is None:
        raise Undecided("the run is too long to be interpreted, and cannot run natively here")
    return _agreed(subject, unprepared, prepared)


def _confirm_lean(subject: Subject, inputs: tuple[Input, ...], budget: Budget) -> Confirmed:
    try:
        builds = [subject.native(preparation, lean=True) for preparation in (UNPREPARED, "flat")]
        unprepared, prepared = replay_together(builds, inputs, seconds=max(0.1, budget.remaining()))
    except NotNative as error:
        raise Undecided(f"the run is too long to be interpreted, and cannot run natively: {error}") from None
    return _agreed(subject, unprepared, prepared)


def _agreed(subject: Subject, first: NativeRun, second: NativeRun) -> Confirmed:
    """Both builds see the same check fail."""
    for native in (first, second):
        if native.outcome is NativeOutcome.TIME:
            raise OutOfBudget("the native replay of a long run did not end in time")
        if native.outcome in _LIMITS:
            raise Undecided(f"the native replay of a long run ended at a limit of its own: {native.outcome.value}")
        if native.outcome is not NativeOutcome.VIOLATED:
            said = native.outcome.value
            raise EvidenceRejected(f"the inputs do not violate the property: native code says {said}")
    if first.detail != second.detail:
        checks = f"check {first.detail} fails, in the prepared one check {second.detail}"
        raise EvidenceRejected(f"the native builds disagree: in the unprepared program {checks}")
    _of_the_property(subject, first.detail)
    ways = ("native code", "native code of the prepared program")
    return Confirmed(first.detail, ways, _without_last_zeros(first.inputs), (), None)


def _without_last_zeros(inputs: tuple[Input, ...]) -> tuple[Input, ...]:
    """Without the zeros behind the last other value of their site: a replay gives zero where values are missing.

    Long runs consume hundreds of thousands of values, most of them zero.
    """
    if len(inputs) <= MANY_INPUTS:
        return inputs
    kept: list[Input] = []
    needed: set[int] = set()
    for item in reversed(inputs):
        if item.site not in needed:
            if isinstance(item, ScalarInput) and not item.value:
                continue
            needed.add(item.site)
        kept.append(item)
    return tuple(reversed(kept))


# ---------------------------------------------------------------- what the run depends on


def _notes(subject: Subject, interpreted: Run, inputs: tuple[Input, ...]) -> tuple[str, ...]:
    """Whether other values in uninitialised memory, or at undefined operations, would avoid the error."""
    sites = subject.program(UNPREPARED).sites
    arbitrary = {site.index for site in sites if site.kind in UNDETERMINED}
    used = [item for item in interpreted.inputs if item.site in arbitrary]
    if not used or interpreted.steps > NOTED_STEPS:
        return ()
    for change in (0, -1):
        others = tuple(_changed(interpreted.inputs, arbitrary, change))
        again = run(subject.program(UNPREPARED), ReplayInputs(others), Limits(steps=STEPS))
        if again.outcome != interpreted.outcome:
            names = sorted({sites[item.site].name for item in used if sites[item.site].name})
            what = f" ({', '.join(names[:5])})" if names else ""
            return (f"the error depends on a value that C leaves undetermined{what}",)
    return ()


def with_zeros(program: Program, confirmed: Confirmed) -> tuple[Input, ...]:
    """The inputs of a run that fails the same check and has zero for all that C leaves undetermined and in undefined
    objects, one argument for `main`; those of the confirmed run where that does not fail so, or takes long."""
    if confirmed.interpreted is None or confirmed.interpreted.steps > NOTED_STEPS:
        return confirmed.inputs
    arbitrary = {site.index for site in program.sites if site.kind in (*UNDETERMINED, "external")}
    arguments = {site.index for site in program.sites if site.kind == "argument" and site.name == "argc"}
    others = tuple(_changed(_changed(confirmed.inputs, arbitrary, 0), arguments, 1))
    again = run(program, ReplayInputs(others), Limits(steps=STEPS))
    return again.inputs if again.outcome == confirmed.interpreted.outcome else confirmed.inputs


def _changed(inputs: Iterable[Input], sites: set[int], value: int) -> Iterable[Input]:
    for item in inputs:
        match item:
            case ScalarInput(site, _, bits) if site in sites:
                yield ScalarInput(site, value & ((1 << bits) - 1), bits)
            case MemoryInput(site, size, _) if site in sites:
                filled = tuple((offset, 0xFF) for offset in range(min(size, 1 << 16))) if value else ()
                yield MemoryInput(site, size, filled)
            case _:
                yield item
