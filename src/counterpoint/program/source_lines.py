"""Lines of the user's source for reports: only of files that were compiled, and as they were compiled.

Where a program says that its code comes from (`#line`) is the program's word; which files the compiler opened is the
compiler's, and it tells each with its MD5.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path

from counterpoint.core.errors import UnusableInput
from counterpoint.core.files import read_given
from counterpoint.core.records import dataclass
from counterpoint.core.source import SourceLocation

LARGEST_FILE = 64_000_000  # bytes

LONGEST_LINE = 1_000
"""Characters of a line that are kept."""


@dataclass(slots=True)
class SourceLines:
    """`digests`: the MD5 of each file that was compiled, by the name that locations give it (`Program.sources`)."""

    digests: Mapping[str, str]
    _files: dict[str, list[str]] = field(default_factory=dict)

    def line(self, at: SourceLocation) -> str:
        """The line at a place without blanks around it; "" where its file was not compiled, or has changed since."""
        lines = self.lines(at.file)
        text = lines[at.line - 1].strip() if 0 < at.line <= len(lines) else ""
        return text if len(text) <= LONGEST_LINE else f"{text[:LONGEST_LINE]}..."

    def lines(self, name: str) -> list[str]:
        """All lines of a file; none where it was not compiled, or has changed since."""
        if name not in self._files:
            self._files[name] = self._lines(name)
        return self._files[name]

    def _lines(self, name: str) -> list[str]:
        digest = self.digests.get(name)
        if digest is None:
            return []
        try:
            content = read_given(Path(name), "source file", LARGEST_FILE)
        except UnusableInput:
            return []
        return content.decode("utf-8", "replace").split("\n") if digest_of(content) == digest else []


def digest_of(content: bytes) -> str:
    """The MD5 of a file, as compilers write it into debug information; it tells versions apart, no more."""
    return hashlib.md5(content, usedforsecurity=False).hexdigest()
