"""Lines on stdout: coloured on a terminal, plain anywhere else."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable

import click

from counterpoint.portfolio.result import Outcome
from counterpoint.report.terminal import Line

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


def say(lines: Iterable[Line]) -> None:
    """Prints lines of styled pieces."""
    coloured = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    for line in lines:
        click.echo("".join(_styled(text, style) if coloured else text for text, style in line).rstrip())


def say_verdict(verdict: str, outcome: Outcome) -> None:
    """The last line on stdout."""
    say([((f"VERDICT: {verdict}", _OF_OUTCOME[outcome]),)])
    sys.stdout.flush()


def _styled(text: str, style: str) -> str:
    return click.style(text, **_STYLES[style])  # type: ignore[arg-type]
