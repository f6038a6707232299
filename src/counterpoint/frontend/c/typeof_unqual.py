"""Objects whose type is written with `typeof_unqual`, which clang's debug information calls const.

It names the type of the operand with its qualifiers, so that `typeof_unqual(N) i = 0;` would be an object defined const
(constant_parts.py), to which `i++` is an invalid write. So each use tells its location, by a message that a macro puts
before it, and what is declared there, or on the line below, has its type without const. Not told apart: an object
that is const and declared on such a line all the same, and arrays of const elements.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from counterpoint.core.patterns import regex
from counterpoint.frontend.debug_fields import FILE_FIELD, FILENAME_FIELD, LINE_FIELD, TAG_FIELD
from counterpoint.frontend.lower.text import quoted

MESSAGE = "a type without qualifiers"
_NAMES = ("typeof_unqual", "__typeof_unqual", "__typeof_unqual__")
FLAGS = (
    "-W#pragma-messages",
    *(f'-D{name}(...)=_Pragma("message \\"{MESSAGE}\\"") {name}(__VA_ARGS__)' for name in _NAMES),
)
"""clang's arguments that make each use tell its location."""

Line = tuple[str, int]
"""A file's name without its folder, and a line of it."""

_DECLARATION = regex(r"(?:DIGlobalVariable|DILocalVariable)\(|DW_TAG_(?:member|typedef)\b")
_TYPE = regex(r"\b((?:baseType|type): )(!\d+)")
_QUALIFIERS = frozenset({"DW_TAG_const_type", "DW_TAG_volatile_type", "DW_TAG_restrict_type", "DW_TAG_atomic_type"})


def without_const(lines: list[str], locations: Iterable[tuple[str, int]]) -> list[str]:
    """The module's metadata, in which what is declared at these locations (file and line) is not const."""
    told: set[Line] = {(Path(file).name, line + below) for file, line in locations for below in (0, 1)}
    if not told:
        return lines
    metadata = dict(line.split(" = ", 1) for line in lines)
    return [f"{name} = {_changed(metadata, text, told)}" for name, text in metadata.items()]


def _changed(metadata: Mapping[str, str], text: str, told: set[Line]) -> str:
    if _DECLARATION.search(text) is None:
        return text
    file, line, type_ = FILE_FIELD.search(text), LINE_FIELD.search(text), _TYPE.search(text)
    if file is None or line is None or type_ is None:
        return text
    named = FILENAME_FIELD.search(metadata.get(file[1], ""))
    if named is None or (Path(quoted(named[1])).name, int(line[1])) not in told:
        return text
    return f"{text[: type_.start()]}{type_[1]}{_bare(metadata, type_[2])}{text[type_.end() :]}"


def _bare(metadata: Mapping[str, str], type_: str) -> str:
    """What is behind the last const of a type and of the typedefs that it is."""
    found = type_
    for _ in range(64):
        text = metadata.get(type_, "")
        tag, base = TAG_FIELD.search(text), _TYPE.search(text)
        if tag is None or base is None or tag[1] not in _QUALIFIERS | {"DW_TAG_typedef"}:
            break
        type_ = base[2]
        if tag[1] == "DW_TAG_const_type":
            found = type_
    return found
