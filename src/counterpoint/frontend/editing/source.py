"""The text of a source file: lines, columns, `#line`, and as many of its tokens as it takes to find one's end."""

from __future__ import annotations

import bisect
import os
import re
from dataclasses import field
from functools import cache
from pathlib import Path

from counterpoint.core.patterns import regex
from counterpoint.core.records import dataclass
from counterpoint.frontend.task import read_source

_MARKER = regex(rb'[ \t]*#[ \t]*(?:line[ \t]+)?(\d+)(?:[ \t]+"((?:[^"\\]|\\.)*)")?')
_SKIPPED = regex(rb"(?:\s|\\\n|//[^\n]*|/\*.*?\*/)+", re.DOTALL)
_TOKEN = regex(
    rb"""\s+|//[^\n]*|/\*.*?\*/|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[A-Za-z_$\x80-\xff][\w$\x80-\xff]*|.""", re.DOTALL
)
_OPENING, _CLOSING = (b"(", b"[", b"{"), (b")", b"]", b"}")


@dataclass(slots=True)
class Text:
    """A file's bytes; offsets count bytes from 0."""

    path: Path
    content: bytes
    starts: list[int] = field(default_factory=list)
    _real: dict[tuple[str, int], list[int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.starts = [0, *(found.end() for found in re.finditer(rb"\n", self.content))]
        file, line = str(self.path), 1
        for number, start in enumerate(self.starts, 1):
            self._real.setdefault((real(file), line), []).append(number)
            is_directive = self.content[start : start + 200].lstrip()[:1] == b"#"
            marker = _MARKER.match(self.content, start) if is_directive else None
            if marker is not None:
                line = int(marker[1][:9])
                file = marker[2].decode("utf-8", "replace") if marker[2] is not None else file
            else:
                line += 1

    def place(self, offset: int) -> tuple[int, int]:
        """Line and column, which counts characters from 1."""
        line = bisect.bisect_right(self.starts, offset)
        start = self.starts[line - 1]
        return line, len(self.content[start:offset].decode("utf-8", "replace")) + 1

    def offset(self, line: int, column: int) -> int | None:
        """Of a column that counts characters; None where there is no such place."""
        if not 1 <= line <= len(self.starts):
            return None
        start = self.starts[line - 1]
        end = self.starts[line] if line < len(self.starts) else len(self.content)
        text = self.content[start:end].decode("utf-8", "surrogateescape")
        if not 1 <= column <= len(text) + 1:
            return None
        return start + len(text[: column - 1].encode("utf-8", "surrogateescape"))

    def lines_of(self, file: str, line: int) -> list[int]:
        """Where that line of the file, as directives and debug information call it, stands in the text."""
        return self._real.get((real(file), line), [])

    def offset_of(self, file: str, line: int, column: int) -> int | None:
        """Of a place as debug information has it: columns count bytes. None where that is not one place."""
        lines = self.lines_of(file, line)
        if len(lines) != 1:
            return None
        return min(self.starts[lines[0] - 1] + max(column, 1) - 1, len(self.content))

    # ------------------------------------------------------------ tokens

    def skipped(self, offset: int) -> int:
        """The next token, behind blanks and comments."""
        found = _SKIPPED.match(self.content, offset)
        return found.end() if found is not None else offset

    def closing(self, offset: int) -> int | None:
        """Where the bracket that opens at the offset is closed; None where it is not."""
        depth = 0
        for found in _TOKEN.finditer(self.content, offset):
            if found[0] in _OPENING:
                depth += 1
            elif found[0] in _CLOSING:
                depth -= 1
                if depth == 0:
                    return found.start()
        return None

    def find(self, wanted: bytes, offset: int, end: int) -> int | None:
        """The first such token outside of brackets, between the offsets."""
        depth = 0
        for found in _TOKEN.finditer(self.content, offset, end):
            if found[0] == wanted and depth == 0:
                return found.start()
            depth += (found[0] in _OPENING) - (found[0] in _CLOSING)
        return None


@cache
def real(name: str) -> str:
    """One name for a file, however debug information calls it: that is relative where it can be."""
    return os.path.realpath(name)


def text_of(path: Path) -> Text:
    """Raises UnusableInput."""
    return Text(path, read_source(path))
