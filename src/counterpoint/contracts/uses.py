"""What a function does with a parameter, followed into the functions of its file that it hands it to."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from counterpoint.contracts.declarations import Declarations, Function, Parameter
from counterpoint.core.patterns import regex
from counterpoint.core.records import dataclass

_TEXT: Final = regex(
    r"(?:str(?!uct)\w*|wcs\w*|f?puts|ato[fil]l?|v?f?printf|v?sn?printf|f?re?open|open|fopen|stat|access|remove|rename|"
    r"unlink|getenv|setenv|perror|opendir|mkdir|rmdir|system|popen|syslog|v?sscanf)\Z"
)
"""Functions of the library whose parameters that are pointers to characters are strings."""

_BYTES: Final = regex(r"(?:__builtin_)?(?:mem\w+|f?read|f?write|recv|send|qsort|bsearch|strn\w+)\Z")
"""Functions that are told how many bytes there are."""


@dataclass(frozen=True, slots=True)
class Use:
    """`indexed`: as an array; `varied`: with indices that are no numbers, or by arithmetic; `recast`: so behind a cast;
    `constants`: the elements up to the last that a number names; `text`: as a string."""

    indexed: bool = False
    varied: bool = False
    constants: int = 0
    text: bool = False
    recast: bool = False

    def __or__(self, other: Use) -> Use:
        return Use(
            self.indexed or other.indexed,
            self.varied or other.varied,
            max(self.constants, other.constants),
            self.text or other.text,
            self.recast or other.recast,
        )


def use_of(declared: Declarations, function: Function, parameter: Parameter) -> Use:
    """Of the parameter, by the function and by all that gets it from there."""
    known: set[tuple[str, str]] = set()
    waiting: list[tuple[Function, Parameter]] = [(function, parameter)]
    found = Use()
    while waiting:
        owner, one = waiting.pop()
        if (owner.name, one.name) in known:
            continue
        known.add((owner.name, one.name))
        found |= Use(one.indexed, one.varied, one.constants, recast=one.recast)
        for callee, position in sorted(one.handed):
            there = declared.functions.get(callee)
            if there is None:
                found |= _outside(callee)
            elif position < len(there.parameters):
                waiting.append((there, there.parameters[position]))
    return found


def arrays(declared: Declarations, functions: Iterable[Function]) -> frozenset[str]:
    """Names of the members and variables, pointers, that one of the functions takes for an array's start, or copies."""
    found: set[str] = set()
    for function in functions:
        found |= function.arrays
        for name, callee, position in sorted(function.names_handed):
            there = declared.functions.get(callee)
            if there is None:
                handed = _outside(callee).indexed
            else:
                known = there.parameters[position : position + 1]
                handed = any(use_of(declared, there, one).indexed for one in known)
            found |= {name} if handed else set()
    return frozenset(found)


def _outside(callee: str) -> Use:
    if _BYTES.match(callee):
        return Use(indexed=True, varied=True)
    return Use(indexed=True, varied=True, text=True) if _TEXT.match(callee) else Use()
