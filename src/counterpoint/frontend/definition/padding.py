"""Whether it may matter that padding bytes keep what they hold: C leaves them open after each store to a structure or a
member (C11, 6.2.6.1 p6), and a program that compares structures by bytes can see it (docs/decisions/padding.md)."""

from __future__ import annotations

from collections.abc import Iterable

from counterpoint.core.patterns import regex
from counterpoint.frontend.irtext import FunctionText
from counterpoint.frontend.lower.irtypes import NotModelled, TypeTable

ASSUMED = "assignments of structures copy padding bytes, and stores to members leave them as they are"

_COMPARES = ("@memcmp(", "@bcmp(")
_STRUCTURE = regex(r"%(?:struct|union)\.[\w.$]+")


def matters(types: TypeTable, own: Iterable[FunctionText], objects: Iterable[str]) -> bool:
    """Whether one of the program's `own` functions compares bytes, and one of them, or the line of one of its static
    `objects`, uses a structure with padding."""
    lines = [line for function in own for line in function.lines]
    if not any(name in line for line in lines for name in _COMPARES):
        return False
    used = {name for line in (*lines, *objects) for name in _STRUCTURE.findall(line)}
    return any(_has_padding(types, name) for name in sorted(used))


def _has_padding(types: TypeTable, name: str) -> bool:
    type_ = types.parse(name)
    try:
        covered = sum(leaf.bits for _, leaf in types.leaves(type_))
    except NotModelled:
        return True
    return covered < 8 * types.size(type_)
