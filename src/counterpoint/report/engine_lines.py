"""What the engines did, as lines for a person who wants to know: all their turns and counters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from counterpoint.portfolio.result import CheckResult, EngineRun
from counterpoint.report.lines import Line


def engine_lines(result: CheckResult) -> Iterator[Line]:
    """When it was compiled, what the program is like, and two lines for each start of an engine."""
    if result.compiled:
        yield ((f"  compiled after {result.compiled:.1f} s", "dim"),)
    if result.features:
        yield ((f"  {', '.join(_features(result.features))}", "dim"),)
    for run in result.engines:
        yield _engine(run)
        if run.statistics:
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
