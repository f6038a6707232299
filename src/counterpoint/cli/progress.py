"""The one line that moves while a check runs: on a terminal, on stderr, and gone afterwards."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from counterpoint.core.events import Progress
from counterpoint.core.printable import shown

if TYPE_CHECKING:
    from counterpoint.portfolio.request import Request
    from counterpoint.portfolio.run import ShowProgress


@contextlib.contextmanager
def progress_line(request: Request, enabled: bool) -> Iterator[ShowProgress | None]:
    """Gives the function to call with each Progress, which begins the line; None when nobody watches."""
    if not enabled or not sys.stderr.isatty():
        yield None
        return
    started = time.monotonic()
    with contextlib.ExitStack() as stack:
        begun: list[ShowProgress] = []

        def show(progress: Progress | None) -> None:
            if not begun:
                begun.append(stack.enter_context(_line(request, started)))
            begun[0](progress)

        yield show


@contextlib.contextmanager
def _line(request: Request, started: float) -> Iterator[ShowProgress]:
    from rich.console import Console
    from rich.live import Live
    from rich.markup import escape
    from rich.spinner import Spinner

    states: dict[str, str] = {}
    names = escape(shown(", ".join(path.name for path in request.files)))
    spinner = Spinner("dots", style="cyan")

    def show(progress: Progress | None) -> None:
        if progress is not None:
            states.pop("front end", None)
            states.pop(progress.engine, None)
            if progress.state:
                states[progress.engine] = progress.state
        seconds = time.monotonic() - started
        doing = "  ".join(f"[cyan]{engine}[/] {escape(shown(state))}" for engine, state in states.items())
        limit = f"[dim]{seconds:4.1f} of {request.timeout:g} s[/]"
        spinner.update(text=f"[bold]{names}[/]  {limit}  {doing}")
        live.refresh()

    # No refreshing thread: the worker is forked while this line is shown.
    with Live(spinner, console=Console(stderr=True), transient=True, auto_refresh=False) as live:
        yield show
