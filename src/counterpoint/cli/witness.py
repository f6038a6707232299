"""What `certify` does with a witness: judge it, tell."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from counterpoint.cli.console import say, say_verdict
from counterpoint.cli.exit_status import Terminated, status_of
from counterpoint.cli.progress import progress_line
from counterpoint.core.errors import UnusableInput
from counterpoint.core.printable import shown
from counterpoint.portfolio.request import Request
from counterpoint.portfolio.result import INTERRUPTED, Outcome
from counterpoint.portfolio.run import unanswered
from counterpoint.report.parts import report_of
from counterpoint.witness.validation import validate


def witness_judged(files: tuple[Path, ...], options: dict[str, Any]) -> int:
    """The exit status; the last of `files` is the witness. Raises UnusableInput, and Terminated by a signal."""
    sources, origin = files[:-1], files[-1]
    if not sources:
        raise UnusableInput(f"{origin}: name the source files before the witness")
    request = Request(files=sources, property=options.pop("property_"), **options)
    try:
        with progress_line(request, enabled=True) as show:
            judged = validate(origin, request, show)
    except Terminated:
        say_verdict(unanswered(request, INTERRUPTED, "").verdict, Outcome.UNKNOWN)
        raise
    if judged.result.outcome is not Outcome.UNKNOWN:
        say(report_of(judged.result))
    say([((f"Witness {judged.answer.value}: {shown(judged.why)}", "title"),)])
    say_verdict(judged.result.verdict, judged.result.outcome)
    return status_of(judged.result)
