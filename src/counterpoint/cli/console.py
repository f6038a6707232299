"""Lines on stdout: coloured on a terminal, plain anywhere else.

Nothing reaches a stream but by `shown`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable

import click

from counterpoint.cli.streams import note
from counterpoint.core.printable import shown
from counterpoint.portfolio.result import CheckResult, Outcome
from counterpoint.report.lines import Line, clean

_STYLES: dict[str, dict[str, object]] = {
    "plain": {},
    "title": {"bold": True},
    "dim": {"dim": True},
    "good": {"fg": "green", "bold": True},
    "bad": {"fg": "red", "bold": True},
    "unsure": {"fg": "yellow", "bold": True},
    "value": {"fg": "cyan"},
}
_OF_OUTCOME = {Outcome.TRUE: "good", Outcome.FALSE: "bad", Outcome.UNKNOWN: "unsure"}


class Unwritable(Exception):
    """Writing to stdout failed; the cause says how."""


def say(lines: Iterable[Line]) -> None:
    """Prints lines of styled pieces. Raises Unwritable."""
    coloured = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    for line in map(clean, lines):
        _write("".join(_styled(text, style) if coloured else text for text, style in line).rstrip() + "\n")


def say_text(text: str) -> None:
    """Prints a text of many lines, uncut. Raises Unwritable."""
    _write("".join(f"{shown(line)}\n" for line in text.removesuffix("\n").split("\n")))


def say_verdict(verdict: str, outcome: Outcome) -> None:
    """The last line on stdout. Raises Unwritable if not all of it could be written."""
    say([((f"VERDICT: {verdict}", _OF_OUTCOME[outcome]),)])
    try:
        sys.stdout.flush()
    except (OSError, ValueError) as error:
        raise Unwritable from error


def tell_of_cache(result: CheckResult, quiet: bool) -> None:
    """On stderr: what of kept results did not count, and where no report says it, that the answer is not new."""
    if result.cached is None:
        return
    from counterpoint.report.terminal import cached_line

    if result.cached.note:
        note(f"counterpoint: {result.cached.note}")
    if quiet and result.cached.answered:
        note(f"counterpoint: {cached_line(result.cached)}")


def _write(text: str) -> None:
    try:
        sys.stdout.write(text)
    except (OSError, ValueError) as error:
        raise Unwritable from error


def _styled(text: str, style: str) -> str:
    return click.style(text, **_STYLES[style])  # type: ignore[arg-type]
