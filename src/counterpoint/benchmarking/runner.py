"""Runs questions side by side and keeps a valid file of the answers at all times."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import asdict, field
from pathlib import Path
from typing import Any

from counterpoint.benchmarking.rows import Kind, Row
from counterpoint.benchmarking.tasks import BenchTask
from counterpoint.benchmarking.tools import Tool
from counterpoint.core.documents import Given, read_json
from counterpoint.core.errors import UnusableInput
from counterpoint.core.records import dataclass
from counterpoint.core.version import version

FORMAT = 1
LARGEST_RUN = 1 << 30  # bytes
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
        head = {"format": FORMAT, "version": version(), "settings": dict(self.settings)}
        return json.dumps({**head, "rows": [asdict(row) for row in self.rows.values()]}, indent=1) + "\n"


def _ask(tool: Tool, task: BenchTask, stop: threading.Event) -> Row | None:
    row = None if stop.is_set() else tool(task, stop)
    return None if stop.is_set() else row


def read_rows(path: Path) -> dict[tuple[str, str, str], Row]:
    """The rows of an earlier run's file. Raises UnusableInput."""
    return read_file(path)[1]


def read_file(path: Path) -> tuple[Mapping[str, object], dict[tuple[str, str, str], Row]]:
    """The settings and the rows of an earlier run's file. Raises UnusableInput."""
    document = read_json(path, "file of `counterpoint bench --json`", LARGEST_RUN)
    if document.at("format").integer(0, 1 << 31) != FORMAT:
        raise UnusableInput(f"{path}: was written by another version of `counterpoint bench`")
    settings = document.get("settings")
    rows = [_row(entry) for entry in document.at("rows").items()]
    return settings.object() if settings is not None else {}, {row.key: row for row in rows}


def _row(entry: Given) -> Row:
    expected, memory = entry.get("expected"), entry.get("memory")
    engines = entry.get("engines")
    return Row(
        tool=entry.at("tool").text(),
        task=entry.at("task").text(),
        family=entry.at("family").text(),
        property=entry.at("property").text(),
        expected=expected.truth() if expected is not None else None,
        subproperty=entry.at("subproperty").text(),
        verdict=entry.at("verdict").text(),
        kind=Kind(entry.at("kind").one_of(*Kind)),
        seconds=entry.at("seconds").number(),
        status=entry.at("status").integer(-(1 << 31), 1 << 31),
        engine=_text(entry, "engine"),
        detail=_text(entry, "detail"),
        memory=memory.integer(0, 1 << 62) if memory is not None else 0,
        stderr=_text(entry, "stderr"),
        statistics=_object(entry, "statistics"),
        engines=tuple(each.object() for each in engines.items()) if engines is not None else (),
        features=_object(entry, "features"),
    )


def _text(entry: Given, name: str) -> str:
    found = entry.get(name)
    return found.text() if found is not None else ""


def _object(entry: Given, name: str) -> Mapping[str, Any]:
    found = entry.get(name)
    return found.object() if found is not None else {}
