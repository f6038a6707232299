"""Indices that are wider than a pointer (`long long` in ILP32): clang cuts them to a pointer's width first.

`a[1LL << 32]` would be `a[0]`; an address has to be computed from the index as it is written. clang's own cut stands at
the place (line and column) of the addition or subscript, the program's `(int)i` at that of the cast. What a macro's
body says has one place, its name's, so that the two cannot be told apart there: where the source text at the
place may be such a name, runs in which the cut changes the value are UNSUPPORTED.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from counterpoint.core.errors import UnusableInput
from counterpoint.core.patterns import regex
from counterpoint.core.source import SourceLocation
from counterpoint.frontend.definition.body import Body
from counterpoint.frontend.irtext import debug_of
from counterpoint.frontend.task import read_source

AMBIGUOUS = "an index of more bits than a pointer in a macro"

_CUT = regex(r"^  %[^ ]+ = trunc (?:(?:nuw|nsw) )*i(\d+) (%[^ ,]+) to i\d+")
_NEGATED = regex(r"^  %[^ ]+ = sub (?:(?:nuw|nsw) )*i\d+ 0, (%[^ ,]+)")
_DEFINED = regex(r"^  (%[^ ]+) = ")
_WRITTEN = regex(r"""[-+(*&"]|([A-Za-z_]\w*)\s*(?:\[|\.|->)""")
"""An operator, or what a subscripted expression begins with; 1: a name, which must be no macro's."""


def as_written(body: Body, index: str, debug: str) -> tuple[int, str] | None:
    """(width, value) of what clang cut to get the index of the computation at `debug`, or to get what it negated (of
    which the size is the same); None if it cut nothing."""
    line = _line(body, index)
    negated = _NEGATED.match(line)
    if negated is not None and _same_place(body, line, debug):
        line = _line(body, negated[1])
    found = _CUT.match(line)
    if found is None or int(found[1]) <= body.shared.pointer_bits or not _same_place(body, line, debug):
        return None
    width, value = int(found[1]), found[2]
    if not _is_written(body, body.shared.tables.at(debug)):
        _refuse(body, width, value, debug)
        return None
    return width, value


def _is_written(body: Body, at: SourceLocation) -> bool:
    """Whether the operation itself stands at the place, surely not the name of a macro that does it."""
    lines = _lines(at.file)
    line = lines[at.line - 1] if 0 < at.line <= len(lines) else ""
    found = _WRITTEN.match(line, at.column - 1) if at.column else None
    return found is not None and (found[1] is None or found[1] not in body.shared.macros())


@lru_cache(maxsize=4)
def _lines(file: str) -> list[str]:
    """Those of a source file; none where it cannot be read."""
    try:
        return read_source(Path(file)).decode("latin-1").split("\n")
    except UnusableInput:
        return []


def _refuse(body: Body, width: int, value: str, debug: str) -> None:
    """Runs where the cut changes the value are UNSUPPORTED."""
    word = body.shared.word
    cut = body.compute(f"trunc i{width} {value} to {word}", debug)
    back = body.compute(f"sext {word} {cut} to i{width}", debug)
    same = body.compute(f"icmp eq i{width} {back}, {value}", debug)
    body.supported(same, AMBIGUOUS, debug)


def _line(body: Body, name: str) -> str:
    """The line of clang's code that defines a register, "" for none."""
    if not body.definitions:
        lines = body.function.lines
        if any(" = trunc i" in line for line in lines):
            body.definitions = {found[1]: line for line in lines if (found := _DEFINED.match(line))}
        else:
            body.definitions = {"": ""}
    return body.definitions.get(name, "")


def _same_place(body: Body, line: str, debug: str) -> bool:
    at = body.shared.tables.at
    mine, other = at(debug_of(line)), at(debug)
    return bool(line) and (mine.line, mine.column, mine.inlined_at) == (other.line, other.column, other.inlined_at)
