"""Which pointers are made by a function of the file, as something lies in front of what they lead to."""

from __future__ import annotations

import re
from typing import Final

from counterpoint.contracts.declarations import Declarations, Function
from counterpoint.contracts.shapes import Number, Other, Pointer
from counterpoint.core.patterns import regex
from counterpoint.core.records import dataclass
from counterpoint.entries.c_text import text_of

_QUALIFIERS: Final = regex(r"\b(?:const|volatile|restrict)\b")


@dataclass(frozen=True, slots=True)
class Made:
    """A call of a function of the file that makes a pointer: `{bytes}` and `{count}` stand for a block and for how many
    bytes of it count."""

    maker: str
    call: str

    def of(self, block: str, count: str) -> str:
        """In C."""
        return self.call.replace("{bytes}", block).replace("{count}", count)


def made_by(declared: Declarations, function: str, type_: str) -> Made | None:
    """How to make a pointer of that type for a caller of the function. None where its type has no name of its own,
    where no code looks at what lies in front of one, and where no function of the file makes one of bytes and their
    number without getting to the function."""
    name = _plain(type_)
    shape = declared.types.exact(name) if name in declared.types.typedefs else None
    if not isinstance(shape, Pointer) or not isinstance(declared.types.exact(shape.target), Number):
        return None
    if not any(_looks_in_front(declared, one, name) for one in declared.functions.values()):
        return None
    for one in declared.functions.values():
        if _plain(one.returns) == name and not one.variadic and function not in declared.behind(one.name):
            given = [_argument(declared, parameter.type) for parameter in one.parameters]
            if sorted(map(str, given)) == ["{bytes}", "{count}"]:
                return Made(one.name, f"{one.name}({', '.join(map(str, given))})")
    return None


def _argument(declared: Declarations, type_: str) -> str | None:
    """What the parameter of a maker is given; None where that is not known."""
    if _plain(type_) in declared.types.typedefs and not isinstance(declared.types.exact(type_), Number):
        return None
    match declared.types.exact(type_):
        case Number(character=False):
            return "{count}"
        case Pointer(target) if declared.types.exact(target) == Other("nothing"):
            return "{bytes}"
        case Pointer(target) if isinstance(shape := declared.types.exact(target), Number) and shape.character:
            return "{bytes}"
    return None


def _looks_in_front(declared: Declarations, function: Function, name: str) -> bool:
    """The function reads what is in front of a parameter of that type: `s[-1]`."""
    names = [one.name for one in function.parameters if one.name and _plain(one.type) == name]
    if not names:
        return False
    lines = text_of(declared, function).split("\n")[function.line - 1 :]
    end = next((number for number, line in enumerate(lines) if line.startswith("}")), len(lines))
    found = re.compile(rf"\b(?:{'|'.join(map(re.escape, names))})\s*\[\s*-\s*\d+\s*\]")
    return found.search("\n".join(lines[:end])) is not None


def _plain(type_: str) -> str:
    return _QUALIFIERS.sub("", type_).strip()
