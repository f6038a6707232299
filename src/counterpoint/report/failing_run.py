"""A violation as lines for a person: what fails, the inputs, the run that leads there."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from counterpoint.core.source import SourceLocation
from counterpoint.portfolio.result import Change, Counterexample, ExecutedLine, InputValue
from counterpoint.program.inputs import INVALID_READ
from counterpoint.report.lines import Line

MOST_INPUTS = 40
MOST_STEPS = 120
MOST_VALUES = 24
SOURCE = 40
"""Columns for a line of the source, with what changed there behind it."""

LARGE = 10_000
"""Numbers from which on a hexadecimal form helps."""



def counterexample_lines(found: Counterexample, whole_run: bool = False) -> Iterator[Line]:
    """What fails, the inputs and the run: the lines that bear on the failure or, with `whole_run`, all."""
    yield (("", "plain"),)
    yield ((f"{found.at}: ", "title"), (found.message, "bad"))
    for outer in _inlined(found.at):
        yield ((f"  called at {outer}", "dim"),)
    for sentence in found.explanation:
        yield ((f"  {sentence}", "plain"),)
    yield from _inputs(found)
    if found.steps:
        yield (("", "plain"),)
        left_out = 0 if whole_run else sum(step.aside for step in found.steps)
        more = f"  ({left_out} more lines do not bear on it: --whole-run)" if left_out else ""
        yield (("The failing run", "title"), (more, "dim"))
        yield from _steps(found, whole_run)
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
    """A line for each place that values came from, with all of them in order."""
    telling = [value for value in found.inputs if (value.value is not None or value.contents) and is_given(value)]
    if not telling:
        return
    yield (("", "plain"),)
    yield (("Inputs", "title"), (f"  ({len(telling)}, for each place in the order of their use)", "dim"))
    places: dict[tuple[SourceLocation, str], list[InputValue]] = {}
    for value in telling:
        places.setdefault((value.at, value.name), []).append(value)
    shown = list(places.values())[:MOST_INPUTS]
    width = max(len(short(same[0].at)) for same in shown)
    names = max(len(same[0].name or same[0].kind) for same in shown)
    for same in shown:
        value = same[0]
        yield (
            (f"  {short(value.at):<{width}}  ", "dim"),
            (f"{value.name or value.kind:<{names}}  ", "plain"),
            (f"= {_listed(same)}", "value"),
        )
    left_out = sum(len(same) for same in list(places.values())[MOST_INPUTS:])
    if left_out:
        yield ((f"  ... {left_out} more (--json has them all)", "dim"),)


def is_given(value: InputValue) -> bool:
    """Whether the environment gives the value; C leaves the others undetermined."""
    return value.kind not in ("uninitialised", "undef", "heap") and value.site != INVALID_READ


def _listed(same: list[InputValue]) -> str:
    """`3, 0 (4 times), 7`."""
    said: list[str] = []
    for text, group in groupby(_shown(value) for value in same):
        count = len(list(group))
        said.append(f"{text} ({count} times)" if count > 1 else text)
    text = ", ".join(said[:MOST_VALUES])
    return text + (f", ... {len(said) - MOST_VALUES} more" if len(said) > MOST_VALUES else "")


def _shown(value: InputValue) -> str:
    if value.value is not None:
        large = value.text.lstrip("-").isdigit() and abs(int(value.text)) >= LARGE
        return value.text + (f" (0x{value.value:x})" if large else "")
    nonzero = ", ".join(f"[{offset}]={byte}" for offset, byte in value.contents[:8])
    return f"{value.size} bytes: {nonzero}"


def _steps(found: Counterexample, whole_run: bool) -> Iterator[Line]:
    steps, omitted = found.steps, found.omitted
    if not whole_run:
        steps = tuple(step for step in steps if not step.aside)
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
    indent = "  " * min(step.depth, 8)
    changes = ", ".join(map(shown_change, step.changes))
    said = f"  {changes}" if changes else ""
    if step.folded:
        more = f"{indent}... {step.folded:,} more iteration{'s' * (step.folded != 1)}"
        return ((where, "dim"), (f"{more:<{SOURCE}}" if said else more, "dim"), (said, "value"))
    source = f"{indent}{step.source}"
    return ((where, "dim"), (f"{source:<{SOURCE}}" if said else source, "plain"), (said, "value"))


def shown_change(change: Change) -> str:
    """`n = 42 (0x2a)`; small values that look the same in both are not repeated."""
    same = change.hexadecimal in ("", change.text, f"0x{change.text}")
    return f"{change.name} = {change.text}" + ("" if same else f" ({change.hexadecimal})")


def short(at: SourceLocation) -> str:
    """The file's name without its folder, and the line."""
    return f"{Path(at.file).name}:{at.line}"
