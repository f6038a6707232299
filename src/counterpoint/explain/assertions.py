"""What an assertion says, read from the source's text, with the values of its variables."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from counterpoint.core.patterns import regex
from counterpoint.core.source import SourceLocation
from counterpoint.explain.failing import Failure
from counterpoint.explain.naming import Naming
from counterpoint.explain.telling import Telling
from counterpoint.explain.watching import is_library
from counterpoint.program.source_lines import SourceLines
from counterpoint.program.source_types import EnumType, NumberType, PointerTo

_ASSERTS: Final = regex(r"\w*(?:assert|check|require|expect|verify|ensure|invariant)\w*\s*\(", re.IGNORECASE)
_BRANCH: Final = regex(r"\b(?:if|while)\s*\(")
_NOTHING: Final = regex(r"[\s{]*(?:\w+\s*:[\s{]*)?")
"""What may stand between a branch and its first statement: brackets, a label."""

_STRING: Final = regex(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'')
_VARIABLE: Final = regex(r"(?<![\w.])(?<!->)[^\W\d]\w*(?!\w|\s*\()(?:(?:->|\.)[^\W\d]\w*)*")

LONGEST: Final = 100
"""Characters of a condition that is quoted."""

MOST_VALUES: Final = 8
_LINES_BEFORE: Final = 3


def assertion(telling: Telling, sources: SourceLines, at: SourceLocation, what: str) -> Failure | None:
    """What failed at a place that is reached only if something is wrong; None if the source does not say."""
    naming = telling.naming()
    stack = [place for place in (at, *telling.stack()) if not is_library(place)]
    for depth, place in enumerate(stack[:2]):
        text = sources.line(place)
        condition = argument_of(_ASSERTS, text, place.function if depth == 0 else "", place.column)
        if condition:
            return Failure(f"`{condition}` is false{_values(naming, depth, condition)}")
        if depth == 0 and not _is_checker(place.function):
            condition = _branch(sources, place)
            if condition:
                return Failure(f"{what}: `{condition}` holds{_values(naming, 0, condition)}")
    return None


def _is_checker(function: str) -> bool:
    return _ASSERTS.match(f"{function}(") is not None


def _branch(sources: SourceLines, at: SourceLocation) -> str:
    """The condition of the branch of which the place is the first statement: in front of it, or just above."""
    lines = sources.lines(at.file)
    for line in range(min(at.line, len(lines)), max(0, at.line - _LINES_BEFORE), -1):
        text = lines[line - 1]
        text = text[: max(0, at.column - 1)] if line == at.line else text
        if "else" in text or (line < at.line and text.rstrip().endswith((";", "}"))):
            return ""
        guards = list(_BRANCH.finditer(_blanked(text)))
        if guards:
            opening = guards[-1].end() - 1
            closing = _closing(text, opening)
            behind = "" if closing is None else text[closing + 1 :]
            return _inside(text, opening, closing) if _NOTHING.fullmatch(behind) else ""
    return ""


def argument_of(pattern: re.Pattern[str], text: str, not_of: str = "", column: int = 0) -> str:
    """What stands in the brackets behind the last match that begins up to the column, in bytes from 1, or else behind
    the first; "" if they do not close on the line, or it is long."""
    found = [one for one in pattern.finditer(text) if not not_of or one[0].rstrip("( \t") != not_of]
    begun = [one for one in found if len(text[: one.start()].encode("utf-8", "surrogateescape")) < column]
    for one in (*reversed(begun), *found[len(begun) :]):
        closing = _closing(text, one.end() - 1)
        if closing is not None:
            return _inside(text, one.end() - 1, closing)
    return ""


def _blanked(text: str) -> str:
    """The text, of the same length, with nothing in its literals."""
    return _STRING.sub(lambda literal: "_" * len(literal[0]), text)


def _closing(text: str, opening: int) -> int | None:
    """Where the bracket that opens there is closed."""
    depth, blanked = 0, _blanked(text)
    for position in range(opening, len(text)):
        depth += {"(": 1, ")": -1}.get(blanked[position], 0)
        if depth == 0:
            return position
    return None


def _inside(text: str, opening: int, closing: int | None) -> str:
    inside = "" if closing is None else text[opening + 1 : closing].strip()
    return inside if len(inside) <= LONGEST else ""


def _values(naming: Naming, depth: int, condition: str) -> str:
    """` (x = 3, p->n = 4)`: numbers and null pointers among the variables of the condition."""
    inner = Naming(naming.names, naming.objects, naming.memory, naming.locals[depth:])
    said: dict[str, str] = {}
    for path in dict.fromkeys(_VARIABLE.findall(_STRING.sub("", condition))):
        value = path_value(inner, path)
        if value:
            said[path] = value
    listed = ", ".join(f"{path} = {value}" for path, value in list(said.items())[:MOST_VALUES])
    return f" ({listed})" if listed else ""


def path_value(naming: Naming, path: str) -> str:
    """The value of a variable or of a member reached from it; "" if it is none that can be told."""
    first, *rest = _steps(path)
    found = naming.lookup(first)
    if found is None:
        return ""
    view = found[0]
    for sign, name in rest:
        if sign == "->":
            pointer = naming.names.type(view.type)
            if not isinstance(pointer, PointerTo):
                return ""
            address = naming.pointer_at(view.address, pointer.size)
            if not address:
                return ""
            view = type(view)(view.text, True, pointer.target, address)
        member = naming.member(view, name)
        if member is None:
            return ""
        view = member
    if not isinstance(naming.names.type(view.type), NumberType | EnumType | PointerTo):
        return ""
    return naming.value(view)


def _steps(path: str) -> tuple[str, *tuple[tuple[str, str], ...]]:
    pieces = re.split(r"(->|\.)", path)
    pairs: Sequence[tuple[str, str]] = list(zip(pieces[1::2], pieces[2::2], strict=False))
    return (pieces[0], *pairs)
