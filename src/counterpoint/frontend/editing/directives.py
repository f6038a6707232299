"""Which parts of a text its conditional directives leave out.

A macro of our own is defined behind each of them, in a copy that is preprocessed; those that were defined tell which
parts are compiled. Lines tell less: `#line` gives one number to several, and arguments of macros move to one line.
"""

from __future__ import annotations

import bisect
import re
import tempfile
from pathlib import Path
from typing import Final

from counterpoint.core.patterns import regex
from counterpoint.core.records import dataclass
from counterpoint.frontend.c.clang import macros
from counterpoint.frontend.editing.insertions import copied
from counterpoint.frontend.editing.source import Text
from counterpoint.frontend.task import SourceTask

MARK: Final = "__cp_part_"

_PIECE: Final = regex(
    rb"""
    (?P<comment> //(?:\\[ \t\r]*\n|[^\n])* | /\*.*?(?:\*/|\Z)) | "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*'
    | (?P<newline>\n) | (?P<blank>(?:[ \t\r\f\v]|\\[ \t\r]*\n)+) | (?P<hash>\#|%:) | [^\s"'/\\#%]+ | .
    """,
    re.DOTALL | re.VERBOSE,
)
_WORD: Final = regex(rb"(?:\#|%:)(?:\s|\\\n|/\*.*?\*/)*(\w*)", re.DOTALL)
_CONDITIONAL: Final = regex(rb"(?:if|el|endif)")
_LINES: Final = regex(rb"line\b|\d")


@dataclass(frozen=True, slots=True)
class Directive:
    """From its first byte to the end of its line, comments and continued lines included."""

    begin: int
    end: int
    word: bytes

    @property
    def is_conditional(self) -> bool:
        return _CONDITIONAL.match(self.word) is not None

    @property
    def moves_lines(self) -> bool:
        """A `#line`, however it is written."""
        return _LINES.match(self.word) is not None


def directives(content: bytes) -> list[Directive]:
    """All, also of parts that are left out."""
    found: list[Directive] = []
    begin, fresh = -1, True
    for piece in _PIECE.finditer(content):
        if piece["newline"] is not None:
            if begin >= 0:
                found.append(_directive(content, begin, piece.start()))
            begin, fresh = -1, True
        elif piece["hash"] is not None and fresh and begin < 0:
            begin = piece.start()
        elif piece["comment"] is None and piece["blank"] is None:
            fresh = False
    if begin >= 0:
        found.append(_directive(content, begin, len(content)))
    return found


def _directive(content: bytes, begin: int, end: int) -> Directive:
    word = _WORD.match(content, begin, end)
    return Directive(begin, end, word[1] if word is not None else b"")


@dataclass(frozen=True, slots=True)
class Parts:
    """A text's directives, and the numbers of those conditional ones behind which it is compiled."""

    directives: list[Directive]
    kept: frozenset[int]

    def keeps(self, offset: int) -> bool:
        """What stands there is compiled, or would be if it were no directive."""
        number = self.number(offset)
        return number < 0 or number in self.kept

    def number(self, offset: int) -> int:
        """Of the last conditional directive that begins there or in front of it; -1."""
        number = self._before(offset)
        while number >= 0 and not self.directives[number].is_conditional:
            number -= 1
        return number

    def directive(self, begin: int, end: int) -> Directive | None:
        """The last one of which something is between the offsets."""
        number = self._before(end - 1)
        return self.directives[number] if number >= 0 and self.directives[number].end > begin else None

    def compiled_from(self, offset: int, text: Text) -> int:
        """The first code from there on that is neither a directive nor left out."""
        while True:
            here = self.directive(offset, offset + 1)
            following = self._before(offset) + 1
            if here is not None:
                offset = text.skipped(here.end)
            elif self.keeps(offset):
                return offset
            elif following == len(self.directives):
                return len(text.content)
            else:
                offset = self.directives[following].begin

    def _before(self, offset: int) -> int:
        """The number of the last directive that begins there or in front of it; -1."""
        return bisect.bisect_right(self.directives, offset, key=lambda one: one.begin) - 1


def parts_of(task: SourceTask, text: Text) -> Parts:
    """Of one of the task's files."""
    found = directives(text.content)
    pieces, last = list[bytes](), 0
    for number, one in enumerate(found):
        if one.is_conditional:
            pieces += [text.content[last : one.end], f"\n#define {MARK}{number}".encode()]
            last = one.end
    if not pieces:
        return Parts(found, frozenset())
    with tempfile.TemporaryDirectory(prefix="counterpoint-") as folder:
        marked = copied(task, [(text.path, b"".join([*pieces, text.content[last:]]))], Path(folder))
        names = macros(marked, marked.files[0])
    return Parts(found, frozenset(int(name[len(MARK) :]) for name in names if name.startswith(MARK)))
