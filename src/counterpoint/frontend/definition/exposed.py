"""Objects that numbers made into pointers may hit: those whose address the text makes into a number.

LLVM drops such casts where nothing uses the number, and makes comparisons of pointers from comparisons of numbers. So
`__cp_exposed` says of each cast what it exposes, whatever becomes of it. Distances of pointers expose nothing in C.
"""

from __future__ import annotations

from collections.abc import Iterable

from counterpoint.core.patterns import regex
from counterpoint.frontend.definition.body import Body
from counterpoint.frontend.irtext import debug_of
from counterpoint.frontend.lower.text import NAME, matching

_CAST = regex(r"^  (%[^ ]+) = ptrtoint ptr (.+) to i\d+(?:,|$)")
_DISTANCE = "%sub.ptr."
_CONSTANT = regex(r"\bptrtoint \(")
_SYMBOL = regex(rf"@{NAME}")


def by_cast(body: Body, line: str) -> None:
    """Says what the `ptrtoint` that was just written exposes."""
    found = _CAST.match(line)
    if found is not None and not found[1].startswith(_DISTANCE):
        body.kernel("__cp_exposed", f"ptr {found[2]}", debug_of(line))


def by_constants(body: Body, lines: Iterable[str]) -> None:
    """Says what the constant expressions in these lines expose."""
    symbols: dict[str, None] = {}
    for line in lines:
        for found in _CONSTANT.finditer(line) if "ptrtoint (" in line else ():
            symbols |= dict.fromkeys(_SYMBOL.findall(line[found.end() : matching(line, found.end() - 1)]))
    for symbol in symbols:
        body.kernel("__cp_exposed", f"ptr {symbol}", "")
