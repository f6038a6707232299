"""Copies of a program's files with something inserted, by offsets, each line where it was."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import field, replace
from pathlib import Path

from counterpoint.core.records import dataclass
from counterpoint.frontend.editing.syntax import Range, Statement, Syntax
from counterpoint.frontend.task import SourceTask


@dataclass(slots=True)
class Insertions:
    """Into one file. What is put around ranges nests as these do; at one place what was given first stands first."""

    syntax: Syntax
    found: list[tuple[int, int, int, int, str]] = field(default_factory=list)

    def at(self, offset: int, text: str) -> None:
        self.found.append((offset, 1, 0, len(self.found), text))

    def around(self, what: Range, before: str, behind: str) -> None:
        size = what.end - what.begin
        self.found.append((what.begin, 2, -size, len(self.found), before))
        self.found.append((what.end, 0, size, -len(self.found), behind))

    def before(self, statement: Statement, effect: str) -> None:
        """`effect`, an expression, is evaluated whenever the statement is about to be."""
        if statement.condition and not statement.declaration:
            self.at(statement.range.begin, f"{effect}, ")
        elif statement.declaration:
            self.at(statement.range.begin, f"{effect}; ")
        else:
            self.at(statement.range.begin, f"if (({effect}), 0) {{ }} else ")

    def content(self, head: str) -> bytes:
        """The copy, whose places are told as those of the file; `head` stands before it."""
        pieces, last, content = [], 0, self.syntax.text.content
        for offset, *_, text in sorted(self.found):
            pieces += [content[last:offset], text.encode()]
            last = offset
        name = os.fsencode(self.syntax.text.path).replace(b"\\", b"\\\\").replace(b'"', b'\\"')
        return b"".join((head.encode(), b'\n#line 1 "', name, b'"\n', *pieces, content[last:]))


def copied(task: SourceTask, copies: Iterable[tuple[Path, bytes]], folder: Path) -> SourceTask:
    """The task with these contents of its files, in a folder; headers are found as before."""
    files: dict[Path, Path] = {}
    quoted: list[str] = []
    for number, (path, content) in enumerate(copies):
        inside = folder / str(number)
        inside.mkdir()
        written = inside / f"copy{'.i' if path.suffix == '.i' else '.c'}"
        written.write_bytes(content)
        files[path] = written
        quoted.append(f"-iquote{os.path.realpath(path.parent)}")
    extra = (*task.extra, *dict.fromkeys(quoted))
    return replace(task.instead(files), files=tuple(files.values()), extra=extra)
