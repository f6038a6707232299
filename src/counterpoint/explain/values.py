"""Values of source types as C writes them."""

from __future__ import annotations

import struct
from typing import Final

from counterpoint.program.source_types import ArrayOf, EnumType, NumberType, PointerTo, SourceNames, StructType

_FLOATS: Final = {2: "e", 4: "f", 8: "d"}

LONGEST_STRING: Final = 60
"""Bytes of a string that are shown."""

MOST_ELEMENTS: Final = 12
"""Elements of an array, or members of a structure, that are shown at once."""

_ESCAPES: Final = {0x0A: "\\n", 0x0D: "\\r", 0x09: "\\t", 0x22: '\\"', 0x5C: "\\\\", 0x00: "\\0"}


def number_text(type_: NumberType | EnumType, contents: bytes, big_endian: bool) -> str:
    """The number in these bytes: `-3`, `'a' (97)`, `true`, `RED`, `0.5`."""
    order: Final = "big" if big_endian else "little"
    value = int.from_bytes(contents, order)
    if isinstance(type_, EnumType):
        signed = int.from_bytes(contents, order, signed=True)
        return next((name for known, name in type_.names if known in (value, signed)), str(signed))
    match type_.encoding:
        case "boolean":
            return {0: "false", 1: "true"}.get(value, str(value))
        case "float" if len(contents) in _FLOATS:
            return repr(struct.unpack((">" if big_endian else "<") + _FLOATS[len(contents)], contents)[0])
        case "float":
            return f"0x{value:x}"
        case "signed":
            value = int.from_bytes(contents, order, signed=True)
    if type_.character and 32 <= value < 127:
        return f"'{chr(value)}' ({value})" if chr(value) not in "'\\" else f"'\\{chr(value)}' ({value})"
    return str(value)


def string_text(contents: bytes, ended: bool = False) -> str:
    """Bytes as a string literal, zeros at the end left out if it is `ended` by one."""
    if ended:
        contents = contents[: contents.index(0)] if 0 in contents else contents
    shown = contents[:LONGEST_STRING]
    text, wide = "", False
    for byte in shown:
        if byte in _ESCAPES:
            piece, next_wide = _ESCAPES[byte], byte == 0
        elif 32 <= byte < 127:
            piece, next_wide = chr(byte), False
            if wide and piece in "0123456789abcdefABCDEF":
                piece = f'" "{piece}'
        else:
            piece, next_wide = f"\\x{byte:02x}", True
        text, wide = text + piece, next_wide
    return f'"{text}"' + ("..." if len(contents) > len(shown) else "")


def is_byte(names: SourceNames, type_: int | None) -> bool:
    """Whether arrays of the type are buffers: of characters or bytes."""
    known = names.type(type_)
    return isinstance(known, NumberType) and known.size == 1 and known.encoding in ("signed", "unsigned")


def is_text(names: SourceNames, type_: int | None) -> bool:
    """Whether the type is a character's."""
    known = names.type(type_)
    return isinstance(known, NumberType) and known.size == 1 and "char" in known.name


def is_scalar(names: SourceNames, type_: int | None) -> bool:
    return not isinstance(names.type(type_), ArrayOf | StructType)


def type_text(names: SourceNames, type_: int | None, depth: int = 0) -> str:
    """`struct req`, `char *`; "" where it is not known."""
    match names.type(type_):
        case NumberType(name) | EnumType(name):
            return name
        case StructType(name, union=union):
            return name and f"{'union' if union else 'struct'} {name}"
        case PointerTo(target) if depth < 5:
            return f"{type_text(names, target, depth + 1) or 'void'} *"
        case ArrayOf(element, count) if depth < 5:
            return f"{type_text(names, element, depth + 1)}[{count}]"
    return ""
