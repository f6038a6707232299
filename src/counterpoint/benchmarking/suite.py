"""Runs questions side by side and keeps a valid file of the answers at all times."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from counterpoint import __version__
from counterpoint.benchmarking.rows import Kind, Row
from counterpoint.benchmarking.tasks import BenchTask
from counterpoint.benchmarking.tools import Tool
from counterpoint.core.errors import UnusableInput

FORMAT = 1
_SAVE_EVERY = 2.0  # seconds

Save = Callable[[str], None]
Report = Callable[[Row, int, int], None]


@dataclass(slots=True)
class Suite:
    """The rows so far. `save` gets the whole file's text every two seconds and at the end."""

    settings: Mapping[str, object]
    save: Save | None = None
    rows: dict[tuple[str, str, str], Row] = field(default_factory=dict)
    saved: float = 0.0

    def run(self, tools: Mapping[str, Tool], tasks: Sequence[BenchTask], jobs: int, report: Report) -> None:
        """Asks each tool each question that has no row yet, `jobs` at a time.

        An exception (an interrupt, too) kills what is running, and saves.
        """
        questions = [(name, task) for task in tasks for name in tools]
        waiting = [(n, task) for n, task in questions if (n, task.name, task.property) not in self.rows]
        stop = threading.Event()
        total, waiting = len(waiting), list(reversed(waiting))
        pool = ThreadPoolExecutor(jobs)
        running: set[Future[Row | None]] = set()
        done = 0
        try:
            while waiting or running:
                while waiting and len(running) < jobs:
                    name, task = waiting.pop()
                    running.add(pool.submit(_ask, tools[name], task, stop))
                finished, running = wait(running, return_when=FIRST_COMPLETED)
                for future in finished:
                    row = future.result()
                    if row is not None:
                        done += 1
                        self._add(row)
                        report(row, done, total)
        finally:
            stop.set()
            pool.shutdown(cancel_futures=True)
            self._save()

    def _add(self, row: Row) -> None:
        self.rows[row.key] = row
        if time.monotonic() - self.saved > _SAVE_EVERY:
            self._save()

    def _save(self) -> None:
        self.saved = time.monotonic()
        if self.save is not None:
            self.save(self.text())

    def text(self) -> str:
        """The file's contents: settings and rows."""
        head = {"format": FORMAT, "version": __version__, "settings": dict(self.settings)}
        return json.dumps({**head, "rows": [asdict(row) for row in self.rows.values()]}, indent=1) + "\n"


def _ask(tool: Tool, task: BenchTask, stop: threading.Event) -> Row | None:
    row = None if stop.is_set() else tool(task, stop)
    return None if stop.is_set() else row


def read_rows(path: Path) -> dict[tuple[str, str, str], Row]:
    """The rows of an earlier run's file. Raises UnusableInput."""
    return read_file(path)[1]


def read_file(path: Path) -> tuple[Mapping[str, object], dict[tuple[str, str, str], Row]]:
    """The settings and the rows of an earlier run's file. Raises UnusableInput."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        rows = [_row(entry) for entry in document["rows"]] if document["format"] == FORMAT else None
    except OSError as error:
        raise UnusableInput(f"{path}: cannot be read: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise UnusableInput(f"{path}: is not a file of `counterpoint bench --json`") from None
    if rows is None:
        raise UnusableInput(f"{path}: was written by another version of `counterpoint bench`")
    settings = document.get("settings")
    return settings if isinstance(settings, dict) else {}, {row.key: row for row in rows}


def _row(entry: dict[str, Any]) -> Row:
    known = {field.name for field in fields(Row)}
    values = {name: value for name, value in entry.items() if name in known}
    return Row(**{**values, "kind": Kind(values["kind"])})
