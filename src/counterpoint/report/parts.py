"""A result of several properties for a person: a line for each, and what there is to say of those that do not hold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from counterpoint.portfolio.result import CheckResult, Outcome
from counterpoint.report.check_summary import open_checks
from counterpoint.report.failing_run import short
from counterpoint.report.lines import Line
from counterpoint.report.terminal import cached_lines, lines_of, reused_lines, warning_lines

_STYLES = {Outcome.TRUE: "good", Outcome.FALSE: "bad", Outcome.UNKNOWN: "unsure"}


def report_of(result: CheckResult, verbose: bool = False, whole_run: bool = False) -> Iterator[Line]:
    """The report without its verdict line; `verbose` and `whole_run` as in `terminal.lines_of`."""
    if not result.parts:
        yield from lines_of(result, verbose, whole_run)
        return
    warned = next((part for part in result.parts if part.warnings), result)
    yield from warning_lines(warned, verbose)
    for part in result.parts:
        if verbose or part.outcome is not Outcome.TRUE:
            yield from lines_of(replace(part, assumptions=(), warnings=(), reused=None), verbose, whole_run)
    yield ((", ".join(result.files), "title"), (f"  {_used(result)}", "dim"))
    for part in result.parts:
        yield line_of(part)
    if result.assumptions:
        yield (("", "plain"),)
        yield (("Assumed", "title"),)
        for sentence in result.assumptions:
            yield ((f"  {sentence}", "plain"),)
    yield from reused_lines(result)
    yield from cached_lines(result)
    yield (("", "plain"),)


def line_of(part: CheckResult) -> Line:
    """The property, its verdict, its seconds, and where or why."""
    found = part.counterexample
    more = f"{short(found.at)}: {found.message}" if found is not None else _left_open(part)
    return (
        (f"  {part.property:<16} ", "plain"),
        (f"{part.verdict:<24} ", _STYLES[part.outcome]),
        (f"{part.seconds:6.1f} s  ", "dim"),
        (more, "plain"),
    )


def _left_open(part: CheckResult) -> str:
    open_ = open_checks(part)
    return f"open: {open_}" if open_ else part.nearest


def _used(result: CheckResult) -> str:
    memory = f", {result.memory >> 20} MiB" if result.memory else ""
    return f"{len(result.parts)} properties, {result.data_model}, {result.seconds:.1f} s{memory}"
