"""What `replay` and `certify` share: read the result, check its evidence on the files, tell."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from counterpoint.cli.exits import Terminated, status_of
from counterpoint.cli.live import progress_line
from counterpoint.cli.screen import say, say_verdict
from counterpoint.core.errors import UnusableInput
from counterpoint.evidence.verdict import Safe, Unsafe
from counterpoint.portfolio.again import Document, Rechecking, check_again, request_of
from counterpoint.portfolio.result import INTERRUPTED, CheckResult, Outcome
from counterpoint.portfolio.run import unanswered
from counterpoint.report.json import read_result
from counterpoint.report.terminal import lines_of

Stored = Callable[[Document, str], Safe | Unsafe]


def evidence_again(
    files: tuple[Path, ...],
    stored: Stored,
    timeout: float,
    memory: int,
    afterwards: Callable[[CheckResult], None] = lambda result: None,
    how: Rechecking | None = None,
) -> int:
    """The exit status; the last of `files` is the result. Raises UnusableInput, and Terminated by a signal."""
    sources, origin = files[:-1], files[-1]
    document = read_result(origin)
    verdict = stored(document, str(origin))
    if not sources:
        sources = tuple(Path(file) for file in document.get("files", ()))
    if not sources:
        raise UnusableInput(f"{origin}: names no source files: give them before it")
    request = request_of(document, sources, timeout, memory)
    try:
        with progress_line(request, enabled=True) as show:
            result = check_again(verdict, request, show, how)
    except Terminated:
        say_verdict(unanswered(request, INTERRUPTED, "").verdict, Outcome.UNKNOWN)
        raise
    say(lines_of(result))
    try:
        afterwards(result)
    finally:
        say_verdict(result.verdict, result.outcome)
    return status_of(result)
