"""A violation as lines for a person: what fails, the inputs, the run that leads there."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from counterpoint.core.source import SourceLocation
from counterpoint.portfolio.result import Change, Counterexample, ExecutedLine, InputValue
from counterpoint.report.lines import Line

MOST_INPUTS = 40
MOST_STEPS = 120



def counterexample_lines(found: Counterexample) -> Iterator[Line]:
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
