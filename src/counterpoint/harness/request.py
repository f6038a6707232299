"""What is asked for, and what is handed back."""

from __future__ import annotations

from pathlib import Path

from counterpoint.core.records import dataclass
from counterpoint.frontend.task import SourceTask


@dataclass(frozen=True, slots=True)
class Wanted:
    """A harness of `function`, which the files of `task` define.

    `most`: elements of a buffer and characters of a string; None: as many as memory has room for. `depth`: pointers
    that are followed one behind the other. `aliases`: arguments of one type may lead to the same block. `folder`: where
    the harness will lie; `output` its name, `options` what the command line said, both as a command has them.
    """

    function: str
    task: SourceTask
    folder: Path
    output: str
    options: tuple[str, ...] = ()
    most: int | None = 8
    depth: int = 2
    aliases: bool = False


@dataclass(frozen=True, slots=True)
class Harness:
    """The text, the command that checks it, and warnings of the compiler about it."""

    text: str
    command: str
    assumed: int
    warnings: tuple[str, ...] = ()
