"""Which parts of an object its definition makes constant, told from the types in debug information.

An object whose type is const is constant as a whole, an array of const elements too; of other structures and
arrays of structures those members are that are const by themselves. A member of a union says nothing of the bytes
that it shares, nor a bit-field.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from counterpoint.core.patterns import regex
from counterpoint.frontend.debug_fields import ATTACHED, ELEMENTS_FIELD, OFFSET_FIELD, SIZE_FIELD, TAG_FIELD
from counterpoint.program.model import Ranges

MOST_PARTS = 4096
"""Of an array with more of them none is known."""

_BASE = regex(r"\b(?:baseType|type): (!\d+)")
_REFERENCE = regex(r"!\d+")
_EXPRESSION = regex(r"\bvar: (!\d+), expr: !DIExpression\(\)")
_SCALAR = frozenset({"DW_TAG_pointer_type", "DW_TAG_enumeration_type"})
_PLAIN = frozenset({
    "DW_TAG_array_type", "DW_TAG_typedef", "DW_TAG_const_type", "DW_TAG_restrict_type", "DW_TAG_member",
})  # fmt: skip
MOST_DEPTH = 64
_THROUGH = frozenset({"DW_TAG_typedef", "DW_TAG_volatile_type", "DW_TAG_atomic_type", "DW_TAG_restrict_type"})


def of_variable(metadata: Mapping[str, str], variable: str) -> Ranges:
    """The constant parts of a DILocalVariable's or DIGlobalVariable's object."""
    type_ = _BASE.search(metadata.get(variable, ""))
    return _merged(_parts(metadata, type_[1], 0)) if type_ is not None else ()


def is_whole(metadata: Mapping[str, str], variable: str) -> bool:
    """Whether the variable is defined const as a whole."""
    text = metadata.get(variable, "")
    for _ in range(64):
        type_ = _BASE.search(text)
        text = metadata.get(type_[1], "") if type_ is not None else ""
        tag = TAG_FIELD.search(text)
        if tag is None or tag[1] not in _THROUGH | {"DW_TAG_array_type"}:
            return tag is not None and tag[1] == "DW_TAG_const_type"
    return False


def is_plain(metadata: Mapping[str, str], variable: str) -> bool:
    """Whether a variable is a structure or array that has no union, no bit-field, and nothing volatile in it."""
    type_ = _BASE.search(metadata.get(variable, ""))
    return type_ is not None and _is_plain(metadata, type_[1], 0)


def _is_plain(metadata: Mapping[str, str], type_: str, depth: int) -> bool:
    text = metadata.get(type_, "")
    if text.startswith("!DIBasicType("):
        return "DW_ATE_complex" not in text
    tag, base = TAG_FIELD.search(text), _BASE.search(text)
    if depth > MOST_DEPTH or tag is None or "DIFlagVector" in text or "DIFlagBitField" in text:
        return False
    if tag[1] in _SCALAR:
        return True
    if tag[1] == "DW_TAG_structure_type":
        elements = ELEMENTS_FIELD.search(text)
        members = _REFERENCE.findall(metadata.get(elements[1], "")) if elements is not None else []
        return all(_is_plain(metadata, member, depth + 1) for member in members)
    return tag[1] in _PLAIN and base is not None and _is_plain(metadata, base[1], depth + 1)


def has_padding(metadata: Mapping[str, str], variable: str) -> bool:
    """Whether a variable that is plain has bytes of no member in it."""
    type_ = _BASE.search(metadata.get(variable, ""))
    return type_ is not None and _has_padding(metadata, type_[1], 0)


def _has_padding(metadata: Mapping[str, str], type_: str, depth: int) -> bool:
    text = metadata.get(type_, "")
    tag, base = TAG_FIELD.search(text), _BASE.search(text)
    if tag is None or tag[1] in _SCALAR or depth > MOST_DEPTH:
        return depth > MOST_DEPTH
    if tag[1] != "DW_TAG_structure_type":
        return base is not None and _has_padding(metadata, base[1], depth + 1)
    elements = ELEMENTS_FIELD.search(text)
    members = _REFERENCE.findall(metadata.get(elements[1], "")) if elements is not None else []
    whole = sum(_size(metadata, member) for member in members)
    return whole < _size(metadata, type_) or any(_has_padding(metadata, member, depth + 1) for member in members)


def of_array(metadata: Mapping[str, str], element: str, size: int) -> Ranges:
    """Those of that many bytes of a type, one object of it or an array; () if its size is not known."""
    return _merged(_repeated(metadata, element, 0, size)) if _size(metadata, element) else ()


def of_global(metadata: Mapping[str, str], line: str) -> Ranges:
    """Those of a static object, given its line; () for what is constant for LLVM."""
    where = ATTACHED.search(line.rpartition('"')[2])
    expression = _EXPRESSION.search(metadata.get(where[1], "")) if where is not None else None
    return of_variable(metadata, expression[1]) if expression is not None else ()


def constant_globals(globals_: Mapping[str, str], metadata: Sequence[str]) -> dict[str, Ranges]:
    """The static objects with constant parts that LLVM takes for variables, by name, given a module's lines."""
    if not any("DW_TAG_const_type" in line for line in metadata):
        return {}
    known = dict(line.split(" = ", 1) for line in metadata)
    found = {name: of_global(known, line) for name, line in globals_.items() if " global " in line}
    return {name: parts for name, parts in found.items() if parts}


def _parts(metadata: Mapping[str, str], type_: str, start: int) -> list[tuple[int, int]]:
    """Those of an object of the type that lies at `start`, in bytes."""
    text = metadata.get(type_, "")
    tag, base = TAG_FIELD.search(text), _BASE.search(text)
    if tag is None:
        return []
    if tag[1] == "DW_TAG_const_type":
        size = _size(metadata, type_)
        return [(start, size)] if size else []
    if tag[1] in _THROUGH and base is not None:
        return _parts(metadata, base[1], start)
    if tag[1] == "DW_TAG_array_type" and base is not None:
        return _repeated(metadata, base[1], start, _size(metadata, type_))
    if tag[1] != "DW_TAG_structure_type":
        return []
    elements = ELEMENTS_FIELD.search(text)
    found: list[tuple[int, int]] = []
    for member in _REFERENCE.findall(metadata.get(elements[1], "")) if elements is not None else ():
        inner = metadata.get(member, "")
        offset, of = OFFSET_FIELD.search(inner), _BASE.search(inner[inner.find("baseType") :])
        if of is not None and "DIFlagBitField" not in inner:
            found += _parts(metadata, of[1], start + (int(offset[1]) // 8 if offset is not None else 0))
    return found


def _repeated(metadata: Mapping[str, str], element: str, start: int, whole: int) -> list[tuple[int, int]]:
    step = _size(metadata, element)
    one = _parts(metadata, element, 0)
    if not one or not step or len(one) * (whole // step) > MOST_PARTS:
        return [(start, whole)] if one == [(0, step)] and step else []
    return [(start + at + offset, size) for at in range(0, whole, step) for offset, size in one]


def _size(metadata: Mapping[str, str], type_: str) -> int:
    """Bytes of an object of the type, 0 if the type does not say."""
    for _ in range(64):
        text = metadata.get(type_, "")
        if (size := SIZE_FIELD.search(text)) is not None:
            return int(size[1]) // 8
        base = _BASE.search(text)
        if base is None:
            return 0
        type_ = base[1]
    return 0


def _merged(parts: list[tuple[int, int]]) -> Ranges:
    found: list[tuple[int, int]] = []
    for start, size in parts:
        if found and sum(found[-1]) == start:
            found[-1] = (found[-1][0], found[-1][1] + size)
        else:
            found.append((start, size))
    return tuple(found)
