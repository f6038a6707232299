"""When which engine ran, for a page: bars on a scale from 0 to 100."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from counterpoint.core.records import dataclass
from counterpoint.portfolio.result import CheckResult, EngineRun

LEAST = 0.6
"""The width of a bar that would be too thin to see."""


@dataclass(frozen=True, slots=True)
class Bar:
    """An engine's run; `left` and `width` are parts of 100 of the whole check. `tone` is the answer's."""

    run: EngineRun
    left: float
    width: float
    tone: str
    numbers: tuple[str, ...]


def timeline(result: CheckResult) -> list[Bar]:
    """The runs in the order of their starts, behind what came before them. Seconds are without pauses, so that a bar
    may end too early."""
    runs = sorted(result.engines, key=lambda run: run.started)
    if runs and (compiled := result.compiled or runs[0].started):
        runs.insert(0, EngineRun("compiling", "", "", compiled))
    whole = max([result.seconds, *(run.started + run.seconds for run in runs), 0.001])
    bars = []
    for run in runs:
        width = max(LEAST, 100 * run.seconds / whole)
        left = min(100 - width, 100 * run.started / whole)
        bars.append(Bar(run, round(left, 2), round(width, 2), _tone(run.answer), tuple(_numbers(run))))
    return bars


_TONES: Final = {"TRUE": "proved", "PROVED": "proved", "FALSE": "refuted", "stopped": "stopped", "": "stopped"}


def _tone(answer: str) -> str:
    return _TONES.get(answer, "unknown")


def _numbers(run: EngineRun) -> Iterator[str]:
    counted: Mapping[str, int | float | str] = run.statistics
    for name, value in counted.items():
        text = f"{value:.2f}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else value
        yield f"{name.replace('_', ' ')} {text}"
    if run.told or run.heard:
        yield f"facts told {run.told:,}, heard {run.heard:,}"
