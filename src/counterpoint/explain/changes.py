"""What a step changed: bytes that were written, as assignments to variables, members, elements and buffers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from counterpoint.core.records import dataclass
from counterpoint.explain.naming import Naming, View
from counterpoint.explain.objects import RunObject
from counterpoint.explain.values import MOST_ELEMENTS, is_byte, is_scalar, is_text, number_text, string_text
from counterpoint.program.source_types import ArrayOf, EnumType, Member, NumberType, PointerTo, StructType

MOST_PARTS: Final = 8
"""Changes of one object that are told."""

MOST_CHANGES: Final = 12

LONGEST_LISTED: Final = 8
"""Equal bytes that are listed one by one."""

HELPFUL: Final = 10_000
"""Numbers from which on a hexadecimal form is shown as well."""


@dataclass(frozen=True, slots=True)
class Told:
    """A name and the value that it has now; `hexadecimal` where it helps.

    `depth` is that of the call whose variable it is, -1 of a static one; None: it is reached by a pointer, or its call
    is over.
    """

    name: str
    text: str
    hexadecimal: str = ""
    depth: int | None = None


def changes(naming: Naming, ranges: Iterable[tuple[int, int]]) -> list[Told]:
    """The changes that were made by writing these ranges, (address, size), in the order of the writes."""
    told: list[Told] = []
    for item, low, high in _by_object(naming, ranges):
        if len(told) > 4 * MOST_CHANGES:
            break
        view = naming.view_of(item, low)
        if view is None:
            continue
        found = _through_pointer(naming, item, low, high) if item.variable is None else _parts(naming, view, low, high)
        depth = _depth(naming, item)
        told += (replace(one, depth=depth) for one in found)
    unique = {change.name: change for change in told if change.text}
    return list(unique.values())[:MOST_CHANGES]


def _depth(naming: Naming, item: RunObject) -> int | None:
    """Of the call whose variable it is."""
    if item.kind == "static":
        return -1
    innermost = len(naming.locals) - 1
    return next((innermost - number for number, bases in enumerate(naming.locals) if item.base in bases), None)


def _by_object(naming: Naming, ranges: Iterable[tuple[int, int]]) -> Iterator[tuple[RunObject, int, int]]:
    """The ranges, neighbours in one object as one."""
    merged: dict[int, list[list[int]]] = {}
    for address, size in ranges:
        block = naming.memory.containing(address, size)
        if block is None or block.base not in naming.objects.by_base:
            continue
        known = merged.setdefault(block.base, [])
        known.append([address, address + size])
    for base, parts in merged.items():
        for low, high in _joined(parts)[:MOST_PARTS]:
            yield naming.objects.by_base[base], low, high


def _joined(parts: list[list[int]]) -> list[tuple[int, int]]:
    done: list[list[int]] = []
    for low, high in sorted(parts):
        if done and low <= done[-1][1]:
            done[-1][1] = max(done[-1][1], high)
        else:
            done.append([low, high])
    return [(low, high) for low, high in done]


def _through_pointer(naming: Naming, item: RunObject, low: int, high: int) -> Iterator[Told]:
    """Parts of a block that a pointer leads to: an array of what it points to."""
    target = naming.reached()[item.base]
    size = naming.names.size(target.type)
    if naming.is_open(target.type):
        yield from _parts(naming, target, low, high)
        return
    first, last = (low - target.address) // size, (high - 1 - target.address) // size
    if first < last and is_scalar(naming.names, target.type):
        yield from _elements(naming, View(target.text, False, None, target.address), target.type, first, last)
        return
    for index in range(first, min(last, first + MOST_PARTS) + 1):
        at = target.address + index * size
        view = naming.view_of(item, at)
        if view is not None:
            yield from _parts(naming, view, max(low, at), min(high, at + size))


def _parts(naming: Naming, view: View, low: int, high: int) -> Iterator[Told]:
    """The smallest parts of an object that overlap [low, high)."""
    names = naming.names
    match names.type(view.type):
        case NumberType() | EnumType() | PointerTo():
            yield _scalar(naming, view)
        case ArrayOf(element, count) if size := names.size(element):
            first, last = (low - view.address) // size, (high - 1 - view.address) // size
            if first < last and is_scalar(names, element):
                whole = first == 0 and (last == count - 1 or is_byte(names, element))
                yield from _elements(naming, view, element, first, last, whole)
                return
            for index in range(first, min(last, first + MOST_PARTS) + 1):
                part = view.element(index, element, size)
                yield from _parts(naming, part, max(low, part.address), min(high, part.address + size))
        case StructType(members=members, union=union):
            touched = [
                member
                for member in members
                if view.address + member.offset // 8 < high
                and low < view.address + (member.offset + member.bits + 7) // 8
            ]
            if union:
                same = [member for member in touched if (member.offset, member.bits) == (0, 8 * (high - low))]
                touched = (same or touched)[:1]
            if naming.is_open(view.type) and high > view.address + members[-1].offset // 8:
                yield from _open_end(naming, view, members[-1], max(low, view.address + members[-1].offset // 8), high)
            for member in touched[:MOST_PARTS]:
                part = view.member(member.name, member.type, member.offset // 8)
                if member.offset % 8 or member.bits != 8 * names.size(member.type):
                    yield from _bit_field(naming, part, member, view.address)
                else:
                    last_byte = part.address + member.bits // 8
                    yield from _parts(naming, part, max(low, part.address), min(high, last_byte))


def _open_end(naming: Naming, view: View, member: Member, low: int, high: int) -> Iterator[Told]:
    """Elements of an array without a size at the end of a structure."""
    match naming.names.type(member.type):
        case ArrayOf(element) if size := naming.names.size(element):
            array = view.member(member.name, member.type, member.offset // 8)
            first, last = (low - array.address) // size, (high - 1 - array.address) // size
            if first < last and is_scalar(naming.names, element):
                yield from _elements(naming, array, element, first, last)
                return
            for index in range(first, min(last, first + MOST_PARTS) + 1):
                part = array.element(index, element, size)
                yield from _parts(naming, part, max(low, part.address), min(high, part.address + size))


def _bit_field(naming: Naming, part: View, member: Member, base: int) -> Iterator[Told]:
    """A member that does not fill its bytes; flexible arrays have no bits at all."""
    type_ = naming.names.type(member.type)
    end = (member.offset + member.bits + 7) // 8
    contents = naming.memory.read(part.address, base + end - part.address) if member.bits else None
    if contents is None or not isinstance(type_, NumberType | EnumType) or not member.name:
        return
    if naming.memory.big_endian:
        shift = 8 * end - member.offset - member.bits
        number = int.from_bytes(contents, "big") >> shift
    else:
        number = int.from_bytes(contents, "little") >> member.offset % 8
    number &= (1 << member.bits) - 1
    signed = isinstance(type_, NumberType) and type_.encoding == "signed"
    if signed and number >> (member.bits - 1):
        number -= 1 << member.bits
    held = number.to_bytes(type_.size, "little", signed=signed)
    yield Told(part.whole, number_text(type_, held, big_endian=False))


def _scalar(naming: Naming, view: View) -> Told:
    text = naming.value(view)
    try:
        number = int(text)
    except ValueError:
        return Told(view.whole, text)
    return Told(view.whole, text, f"0x{number:x}" if number >= HELPFUL else "")


def _elements(
    naming: Naming, view: View, element: int | None, first: int, last: int, whole: bool = False
) -> Iterator[Told]:
    """Several elements of an array at once: a string, or a list."""
    names = naming.names
    size = names.size(element)
    name = view.whole if whole else f"{view.whole}[{first}..{last}]"
    if is_byte(names, element):
        contents = naming.memory.read(view.address + first * size, (last - first + 1) * size)
        if contents is not None and (any(contents) or (whole and is_text(names, element))):
            if len(contents) > LONGEST_LISTED and len(set(contents)) == 1:
                yield Told(name, f"all {contents[0]}")
                return
            ended = contents.endswith(b"\0") and is_text(names, element)
            yield Told(name, string_text(contents.rstrip(b"\0") if ended else contents))
        elif contents is not None:
            yield Told(name, "all 0")
        return
    values = [
        naming.value(View(f"{view.text}[{index}]", False, element, view.address + index * size))
        for index in range(first, min(last, first + MOST_ELEMENTS - 1) + 1)
    ]
    more = ", ..." if last - first + 1 > len(values) else ""
    yield Told(name, f"{{{', '.join(values)}{more}}}")
