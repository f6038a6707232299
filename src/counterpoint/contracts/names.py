"""Which names formulas about a function may use, and which of its facts are no news to anybody."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from counterpoint.contracts.declarations import Function
from counterpoint.core.patterns import regex
from counterpoint.program.model import Program
from counterpoint.program.names import original
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import reachable, variables

_INTERNAL: Final = ("live", "size", "&", "memory", "old(live", "old(memory")

_NUMBERED: Final = regex(r"\.\d+\Z")


def in_source(name: str) -> str:
    """What a function or variable of the program is called in its file: LLVM numbers static ones of one name."""
    return _NUMBERED.sub("", original(name))


def in_program(program: Program, function: Function, own: Path, files: Iterable[Path]) -> str:
    """What the program calls the function, which the file `own` of those defines; "" where it has none. A static one of
    that name in another file is another function."""
    others = {os.path.realpath(file) for file in files if file != own}
    named = (name for name in program.functions if in_source(name) == function.name)
    return next((one for one in named if os.path.realpath(program.functions[one].at.file) not in others), "")


def is_internal(formula: V) -> bool:
    """It speaks of where and how objects lie, which C has no words for."""
    names = [str(v.payload) for v in variables(formula)]
    if any(name in ("counter", "old(counter)") or name.startswith(_INTERNAL) for name in names):
        return True
    return any(term.op is Op.EXTRACT and term.payload == 0 and width_of(term) < 8 for term in reachable([formula]))


def width_of(term: Term) -> int:
    sort = term.sort
    return sort.width if isinstance(sort, BitVec) else 1


def local_types(function: Function) -> dict[str, str]:
    """The types of parameters and locals whose name means one thing everywhere in the function."""
    inside, given = dict(function.inside), {p.name: p.type for p in function.parameters}
    names = function.hidden | (inside.keys() & given.keys())
    return {name: type_ for name, type_ in (*inside.items(), *given.items()) if name not in names}
