"""The table of checks as lines of text: where, what, the answer, by whom or why not."""

from __future__ import annotations

from collections.abc import Iterator

from counterpoint.portfolio.answers import PREPARATION, place
from counterpoint.portfolio.result import Answer, CheckAnswer, CheckResult

Line = tuple[tuple[str, str], ...]
"""Pieces of text with the name of their style."""

STYLES = {Answer.PROVED: "good", Answer.REFUTED: "bad", Answer.UNKNOWN: "unsure"}


def check_lines(result: CheckResult) -> Iterator[Line]:
    """A line for each check that a run may get to; how many there are beside these. Text is not escaped yet."""
    shown = [check for check in result.checks if check.by != PREPARATION]
    where = max((len(place(check)) for check in shown), default=0)
    what = max((len(check.what) for check in shown), default=0)
    for check in shown:
        yield (
            (f"  {place(check):<{where}}  ", "dim"),
            (f"{check.what:<{what}}  ", "plain"),
            (f"{check.answer.value:<7}", STYLES[check.answer]),
            (_more(check), "dim"),
        )
    if others := len(result.checks) - len(shown):
        yield ((f"  {others} more hold in every run that gets there, if any does", "dim"),)


def _more(check: CheckAnswer) -> str:
    said = f"by {check.by}" if check.by else check.why or check.cause
    said = f"{said}, behind another" if check.behind else said
    return f"  {said}" if said else ""
