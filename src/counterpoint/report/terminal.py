"""A result as lines for a person: what was found, the failing run, what was assumed, what to try."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from pathlib import Path

from counterpoint.core.printable import LONGEST, shown
from counterpoint.core.source import SourceLocation
from counterpoint.portfolio.result import (
    Change,
    CheckResult,
    Counterexample,
    EngineRun,
    ExecutedLine,
    InputValue,
    Outcome,
    Proof,
    ProofRuns,
)

Line = tuple[tuple[str, str], ...]
"""Pieces of text with the name of their style."""


def clean(line: Line) -> Line:
    """The line as it may be printed: its pieces by `shown`, at most LONGEST characters in all."""
    left, pieces = LONGEST, []
    for text, style in line:
        said = shown(text)
        pieces.append((said if len(said) <= left else f"{said[:left]}...", style))
        left -= len(said)
        if left < 0:
            break
    return tuple(pieces)


MOST_INPUTS = 40
MOST_STEPS = 120
MOST_INVARIANTS = 40

SHORT = 90
"""Characters of a place's formulas that go on one line."""


def lines_of(result: CheckResult, verbose: bool = False) -> Iterator[Line]:
    """The report without its verdict line; `verbose`: with all engines and their counters, and the features."""
    yield from _head(result)
    yield from _engines(result, verbose)
    if result.counterexample is not None:
        yield from _counterexample(result.counterexample)
    if result.proof is not None:
        yield (("", "plain"),)
        yield (("Proof  ", "title"), (result.proof.summary, "plain"))
        yield from _invariants(result.proof)
        yield ((f"  {_proof_runs(result.proof.runs)}", "dim"),)
    if result.outcome is Outcome.UNKNOWN:
        yield from _unknown(result)
    yield from _assumptions(result)
    for report in result.crash_reports:
        yield (("Crash report: ", "bad"), (report, "plain"))
    yield (("", "plain"),)


def _head(result: CheckResult) -> Iterator[Line]:
    files = ", ".join(result.files)
    used = f"{result.seconds:.1f} s" + (f", {result.memory >> 20} MiB" if result.memory else "")
    yield ((files, "title"), (f"  {result.property}, {result.data_model}, {used}", "dim"))


# ---------------------------------------------------------------- what the engines did


def _engines(result: CheckResult, verbose: bool) -> Iterator[Line]:
    """A line for each start of an engine; if there is an answer and nobody wants to know more, for its engine."""
    everything = verbose or result.outcome is Outcome.UNKNOWN
    if verbose and result.features:
        yield ((f"  {', '.join(_features(result.features))}", "dim"),)
    for run in result.engines:
        if everything or (run.engine == result.engine and run.answer == result.outcome):
            yield _engine(run)
            if verbose and run.statistics:
                yield ((f"{'':16}{', '.join(_counters(run.statistics))}", "dim"),)


def _engine(run: EngineRun) -> Line:
    numbers = [f"{name} {value:,}" for name, value in _headline(run.statistics)]
    numbers += [f"facts told {run.told:,}"] if run.told else []
    numbers += [f"facts heard {run.heard:,}"] if run.heard else []
    answer = f"{run.answer}{': ' + run.detail if run.detail else ''}"
    text = f"  {run.engine:<12} {run.seconds:6.1f} s  {answer}"
    return ((text, "plain"), (f"  {', '.join(numbers)}" if numbers else "", "dim"))


def _headline(statistics: Mapping[str, int | float | str]) -> list[tuple[str, int | float]]:
    wanted = ("tests", "branches", "bound", "refinements", "predicates", "solver_calls")
    present = ((name, statistics.get(name)) for name in wanted)
    return [(name.replace("_", " "), value) for name, value in present if isinstance(value, int | float)]


def _counters(statistics: Mapping[str, int | float | str]) -> Iterator[str]:
    for name, value in statistics.items():
        shown = f"{value:.2f}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else value
        yield f"{name.replace('_', ' ')} {shown}"


def _features(features: Mapping[str, int]) -> Iterator[str]:
    """"loops 2, instructions 40, nested": flags that are not set are left out."""
    for name, value in features.items():
        if isinstance(value, bool):
            if value:
                yield name
        else:
            yield f"{name} {value:,}"


# ---------------------------------------------------------------- a violation


def _counterexample(found: Counterexample) -> Iterator[Line]:
    yield (("", "plain"),)
    yield ((f"{found.at}: ", "title"), (found.message, "bad"))
    for outer in _inlined(found.at):
        yield ((f"  called at {outer}", "dim"),)
    yield from _inputs(found)
    if found.steps:
        yield (("", "plain"),)
        yield (("The failing run", "title"),)
        yield from _steps(found)
    yield (("", "plain"),)
    ways = " and ".join(found.confirmed) or "nothing"
    yield (("Replayed  ", "title"), (f"by {ways}, on the program as compiled", "plain"))
    for note in found.notes:
        yield (("Note  ", "unsure"), (note, "plain"))


def _inlined(at: SourceLocation) -> Iterator[SourceLocation]:
    outer = at.inlined_at
    while outer is not None:
        yield outer
        outer = outer.inlined_at


def _inputs(found: Counterexample) -> Iterator[Line]:
    known = (value for value in found.inputs if value.value is not None or value.contents)
    telling = [value for value in known if not _of_a_model(value)]
    if not telling:
        return
    yield (("", "plain"),)
    yield (("Inputs", "title"), (f"  ({len(telling)}, in the order of their use)", "dim"))
    groups = [list(same) for _, same in groupby(telling, key=lambda value: (value.at, value.name, _shown(value)))]
    shown = groups[:MOST_INPUTS]
    width = max(len(short(same[0].at)) for same in shown)
    names = max(len(same[0].name or same[0].kind) for same in shown)
    for same in shown:
        value, count = same[0], len(same)
        yield (
            (f"  {short(value.at):<{width}}  ", "dim"),
            (f"{value.name or value.kind:<{names}}  ", "plain"),
            (_shown(value), "value"),
            (f"  ({count} times)" if count > 1 else "", "dim"),
        )
    left_out = sum(len(same) for same in groups[MOST_INPUTS:])
    if left_out:
        yield ((f"  ... {left_out} more (--json has them all)", "dim"),)


def _of_a_model(value: InputValue) -> bool:
    """A value inside a library model that the environment does not give: an uninitialised local of it."""
    return value.kind in ("uninitialised", "undef") and value.at.file.startswith("<libc>")


def _shown(value: InputValue) -> str:
    if value.value is not None:
        bits = f"{value.value:x}"
        return f"= {value.text}" + ("" if value.text in (bits, f"0x{bits}") else f" (0x{bits})")
    nonzero = ", ".join(f"[{offset}]={byte}" for offset, byte in value.contents[:8])
    return f"= {value.size} bytes: {nonzero}"


def _steps(found: Counterexample) -> Iterator[Line]:
    steps, omitted = found.steps, found.omitted
    head, tail = steps, steps[:0]
    if len(steps) > MOST_STEPS:
        head, tail = steps[: MOST_STEPS // 4], steps[-(MOST_STEPS - MOST_STEPS // 4) :]
        omitted += len(steps) - MOST_STEPS
    width = max(len(short(step.at)) for step in steps)
    for step in head:
        yield _step(step, width)
    if omitted:
        yield ((f"  ... {omitted:,} steps ...", "dim"),)
    for step in tail:
        yield _step(step, width)


def _step(step: ExecutedLine, width: int) -> Line:
    where = f"  {short(step.at):<{width}}  "
    source = f"{'  ' * min(step.depth, 8)}{step.source}"
    changes = ", ".join(map(shown_change, step.changes))
    return ((where, "dim"), (f"{source:<50}", "plain"), (f"  {changes}" if changes else "", "value"))


def shown_change(change: Change) -> str:
    """`n = 42 (0x2a)`; small values that look the same in both are not repeated."""
    same = change.hexadecimal in ("", change.text, f"0x{change.text}")
    return f"{change.name} = {change.text}" + ("" if same else f" ({change.hexadecimal})")


def short(at: SourceLocation) -> str:
    """The file's name without its folder, and the line."""
    return f"{Path(at.file).name}:{at.line}"


# ---------------------------------------------------------------- a proof


def _invariants(proof: Proof) -> Iterator[Line]:
    """`loop at file.c:12: x == y, i <= 100`; a line for each formula where they are long."""
    shown = proof.invariants[:MOST_INVARIANTS]
    for invariant in shown:
        where = f"  {invariant.where} at {short(invariant.at)}: "
        together = ", ".join(invariant.formulas)
        if len(together) <= SHORT or len(invariant.formulas) == 1:
            yield ((where, "dim"), (together, "value"))
        else:
            yield ((where.rstrip(), "dim"),)
            yield from (((f"    {formula}", "value"),) for formula in invariant.formulas)
    if len(shown) < len(proof.invariants):
        yield ((f"  ... {len(proof.invariants) - len(shown)} more (--json has them all)", "dim"),)


def _proof_runs(runs: ProofRuns) -> str:
    """`proof run: 312 states of 40 runs, 18 of 20 claims evaluated; 3,000 native runs of the unprepared program`."""
    if not runs.runs and not runs.native_runs:
        return f"proof run: {runs.note or 'none'}"
    said = f"proof run: {_count(runs.states, 'state')} of {_count(runs.runs, 'run')}"
    if runs.claims:
        said += f", {runs.evaluated:,} of {runs.claims:,} claims evaluated"
    said += f"; {_count(runs.native_runs, 'native run')} of the unprepared program"
    return f"{said}; {runs.note}" if runs.note else said


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'s' * (number != 1)}"


# ---------------------------------------------------------------- the rest


def _unknown(result: CheckResult) -> Iterator[Line]:
    yield (("", "plain"),)
    yield (("Not decided: ", "unsure"), (result.detail or result.reason, "plain"))
    for advice in result.advice:
        yield (("  try: ", "title"), (advice, "plain"))


def _assumptions(result: CheckResult) -> Iterator[Line]:
    if result.assumptions:
        yield (("", "plain"),)
        yield (("Assumed", "title"),)
        for sentence in result.assumptions:
            yield ((f"  {sentence}", "plain"),)
