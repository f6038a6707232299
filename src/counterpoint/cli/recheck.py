"""What `replay` and `certify` share: check the result's evidence on the files, tell."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from counterpoint.cli.console import say, say_verdict
from counterpoint.cli.exit_status import Terminated, status_of
from counterpoint.cli.progress import progress_line
from counterpoint.core.errors import UnusableInput
from counterpoint.portfolio.recheck import Rechecking, Stored
from counterpoint.portfolio.request import Request
from counterpoint.portfolio.result import INTERRUPTED, CheckResult, Outcome
from counterpoint.portfolio.run import unanswered
from counterpoint.portfolio.several import check_all_again
from counterpoint.report.parts import report_of


def evidence_again(
    files: tuple[Path, ...],
    stored: Stored,
    options: dict[str, Any],
    afterwards: Callable[[CheckResult], None] = lambda result: None,
    how: Rechecking | None = None,
    whole_run: bool = False,
) -> int:
    """The exit status; the last of `files` is the result. Raises UnusableInput, and Terminated by a signal."""
    sources, origin = files[:-1], files[-1]
    if not sources:
        raise UnusableInput(f"{origin}: name the source files before the result")
    request = Request(files=sources, property=options.pop("property_"), **options)
    try:
        with progress_line(request, enabled=True) as show:
            result = check_all_again(origin, stored, request, show, how)
    except Terminated:
        say_verdict(unanswered(request, INTERRUPTED, "").verdict, Outcome.UNKNOWN)
        raise
    say(report_of(result, whole_run=whole_run))
    try:
        afterwards(result)
    finally:
        say_verdict(result.verdict, result.outcome)
    return status_of(result)
