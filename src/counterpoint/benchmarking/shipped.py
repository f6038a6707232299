"""A task's files on the way to another machine: their names relative to each other, and what is in them."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from counterpoint.benchmarking.tasks import BenchTask
from counterpoint.core.errors import UnusableInput
from counterpoint.core.records import dataclass
from counterpoint.portfolio.task_definition import property_files


@dataclass(frozen=True, slots=True)
class Shipped:
    """`task` with its paths as they were; `files` are (path, relative path, bytes). Can be pickled."""

    task: BenchTask
    files: tuple[tuple[Path, str, bytes], ...]

    def arrived(self, folder: Path) -> BenchTask:
        """The task on the machine that works on it: where it was if the same files are there (a shared file system;
        then what they include is there, too), else written into the folder."""
        if all(_contains(path, content) for path, _, content in self.files):
            return self.task
        placed = {}
        for path, name, content in self.files:
            placed[path] = folder / name
            placed[path].parent.mkdir(parents=True, exist_ok=True)
            placed[path].write_bytes(content)
        task = self.task
        return replace(
            task, definition=placed[task.definition], files=tuple(placed[path] for path in task.files)
        )


def shipped(task: BenchTask) -> Shipped:
    """The task with the contents of its definition, its sources and its property files. Raises UnusableInput."""
    paths = [task.definition, *task.files]
    if task.definition not in task.files:
        paths += property_files(task.definition)
    places = {path: os.path.normpath(path.absolute()) for path in dict.fromkeys(paths)}
    root = os.path.commonpath([os.path.dirname(place) for place in places.values()])  # noqa: PTH120 (of text)
    files = []
    for path, place in places.items():
        try:
            files.append((path, os.path.relpath(place, root), path.read_bytes()))
        except OSError as error:
            raise UnusableInput(f"{path}: cannot be read: {error.strerror}") from None
    return Shipped(task, tuple(files))


def _contains(path: Path, content: bytes) -> bool:
    try:
        return path.read_bytes() == content
    except OSError:
        return False
