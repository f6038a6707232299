"""Members of one structure that lead into one block: where it begins, where it ends, and places between.

    struct { char *start, *end, *pointer, *last; }    start <= pointer <= last <= end

Blocks of their own for each would say nothing of code that goes from one to the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

from counterpoint.contracts.declarations import Declarations
from counterpoint.contracts.shapes import Field, Pointer, Record, Shape, spelled
from counterpoint.contracts.views import PREFIX
from counterpoint.entries.given import ASSUME, AT_MOST, FEW, LONGEST, What

_BEGINS: Final = ("start", "begin", "base", "bottom")
_ENDS: Final = ("end", "limit")
_BETWEEN: Final = frozenset(("top", "head", "tail", "pointer", "last", "current", "cur", "ptr", "position", "next"))


class Caller(Protocol):
    """What is needed of the writer of an arbitrary caller (environment.py)."""

    declared: Declarations
    file_lines: list[str]
    before: list[str]
    assumed: list[str]

    def shape(self, type_: str) -> Shape: ...
    def name(self, what: str) -> str: ...
    def choice(self, what: What, text: str, code: str, type_: str, needs: tuple[str, ...]) -> str: ...
    def confine(self, least: str, most: str) -> None: ...
    def fill(self, code: str, text: str, type_: str, needs: tuple[str, ...], depth: int, held: str) -> None: ...
    def require(self, text: str, needs: tuple[str, ...]) -> None: ...
    def is_unspoken(self, text: str) -> bool: ...
    def is_plain(self, type_: str) -> bool: ...
    def has_elements(self, target: str, depth: int) -> bool: ...


def interval(record: Record) -> tuple[Field, ...]:
    """The members that lead into one block, in the order in which they do; none where there is no beginning and end."""
    named = {one.name: one for one in record.fields}
    first = next((named[name] for name in _BEGINS if name in named), None)
    last = next((named[name] for name in _ENDS if name in named), None)
    if first is None or last is None or first.type != last.type or "*" not in first.type:
        return ()
    return (first, *(one for one in record.fields if one.type == first.type and one.name in _BETWEEN), last)


def fill_interval(
    caller: Caller, record: Record, code: str, text: str, needs: tuple[str, ...], depth: int
) -> Sequence[Field]:
    """Makes those members null, or lets them lead into one block of as many elements as the caller chooses; `code` and
    `text` name members with their names behind them. The members that are left."""
    group = interval(record)
    shape = caller.shape(group[0].type) if group else None
    spoken = [one for one in group if not caller.is_unspoken(f"{text}{one.name}")]
    if not isinstance(shape, Pointer) or len(spoken) < 2 or not caller.has_elements(shape.target, depth):
        return record.fields
    first, *between, last = group
    plain, start = caller.is_plain(shape.target), f"{text}{first.name}"
    own, kind = caller.name("block"), spelled(caller.declared.types, shape.target)
    caller.file_lines.append(f"static __typeof__({kind}) *{own}; static __SIZE_TYPE__ {own}_length;")
    caller.before += [f"{code}{one.name} = 0;" for one in group]
    here, inner = len(caller.before), (*needs, start)
    chosen = caller.choice(What.POINTER, start, f"{code}{first.name}", "int", needs)
    size = caller.choice(What.LENGTH, start, f"{own}_length", "unsigned long", inner)
    most = f"{LONGEST} / sizeof({kind})" if plain else str(FEW)
    caller.confine("", "" if plain else str(FEW))
    caller.before += [
        f"{own}_length = {size};",
        f"{ASSUME}({own}_length > 0 && {own}_length <= {most});",
        f"{own} = {PREFIX}malloc({own}_length * sizeof({kind})); {code}{first.name} = {own};",
        f"{code}{last.name} = {own} + {own}_length;",
    ]
    for index in range(0 if plain else FEW):
        begun = len(caller.before)
        caller.fill(f"{own}[{index}]", f"{start}[{index}]", shape.target, inner, depth + 1, own)
        caller.before[begun:] = [f"if ({own}_length > {index}) {{", *caller.before[begun:], "}"]
    earlier, least = f"{code}{first.name}", ""
    for one in between:
        said = f"{text}{one.name} - {start}"
        place = caller.choice(What.NUMBER, said, f"({code}{one.name} - {own})", "unsigned long", inner)
        caller.confine(least, size)
        least, at = place, f"{own}_{one.name}"
        caller.before.append(f"__SIZE_TYPE__ {at} = {place};")
        caller.before.append(f"{ASSUME}({at} <= {own}_length && {own} + {at} >= {earlier});")
        caller.before.append(f"{code}{one.name} = {own} + {at};")
        earlier = f"{code}{one.name}"
    caller.before[here:] = [f"if ({chosen}) {{", *caller.before[here:], "}"]
    order = " <= ".join(f"{text}{one.name}" for one in group)
    length = f"{text}{last.name} - {start}"
    caller.require(f"\\valid({start} + (0 .. {length} - 1)) && {order}", needs)
    if plain:
        caller.assumed.append(AT_MOST)
    else:
        caller.require(f"{length} <= {FEW}", needs)
    return [one for one in record.fields if one not in group]
