"""Whether it may matter that new objects never lie where dead ones did: C lets them, and such a program can see it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from counterpoint.frontend.irtext import FunctionText

ASSUMED = "no object lies where one that is dead lay, which comparisons and casts of pointers could show"

_ENDS = ("@__cp_free(", "@__cp_local_end(")
_COMPARED = re.compile(r"^  %[^ ]+ = icmp \w+ ptr (?!null,)[^,]+, (?!null\b)")


def matters(functions: Iterable[FunctionText], own: Iterable[FunctionText]) -> bool:
    """Whether an object may die, a block or a local whose address outlasts it, and one of the program's `own`
    functions compares two pointers or makes a number of one."""
    looks = any(" = ptrtoint ptr " in line or _COMPARED.match(line) for function in own for line in function.lines)
    return looks and any(end in line for function in functions for line in function.lines for end in _ENDS)
