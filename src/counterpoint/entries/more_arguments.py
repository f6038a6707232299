"""What a function with a variable number of arguments is handed beyond those that it names."""

from __future__ import annotations

from typing import Final

from counterpoint.contracts.declarations import Declarations, Function
from counterpoint.contracts.shapes import Number, Pointer, Real
from counterpoint.contracts.views import NoDriver
from counterpoint.core.patterns import regex
from counterpoint.entries.c_text import text_of

MOST: Final = 8
"""Types of one function."""

_TAKEN: Final = regex(r"\bva_arg\s*\(\s*\w+\s*,\s*([\w\s*]+?)\s*\)")


def types_taken(declared: Declarations, function: Function) -> tuple[str, ...]:
    """The types that the function's text takes from its list by name, each once: numbers, and pointers."""
    text = text_of(declared, function)
    body = text[function.offset : text.find("\n}", function.offset)]
    found: list[str] = []
    for type_ in dict.fromkeys(" ".join(one.split()) for one in _TAKEN.findall(body)):
        try:
            if isinstance(declared.types.exact(type_), Number | Real | Pointer):
                found.append(type_)
        except NoDriver:
            continue
    return tuple(found[:MOST])
