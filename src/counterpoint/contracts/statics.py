"""Static objects that a driver's C text cannot name are made arbitrary in its program.

These are static variables of functions, and variables of other files. LLVM's passes for the modular preparation know
nothing of initial values, so that the program may forget them afterwards.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Set
from dataclasses import replace
from typing import Final

from counterpoint.contracts.names import in_source
from counterpoint.core.source import Site
from counterpoint.program import model as m
from counterpoint.program.names import original
from counterpoint.program.source_types import ArrayOf, EnumType, NumberType, SourceNames, StructType
from counterpoint.program.types import IntType, PointerType

_DEEPEST: Final = 12


def forgotten(program: m.Program, begins: str, named: Set[str]) -> tuple[m.Program, tuple[str, ...]]:
    """The program in which those not `named` are arbitrary when `begins` begins, and the names of those with pointers
    in them, or of an unknown type, which are as at the start. Of several of one name, in several files, none counts as
    named."""
    kept: list[str] = []
    lost: list[m.Global] = []
    called = Counter(in_source(name) for name in program.globals)
    for item in program.globals.values():
        name = in_source(item.name)
        if item.constant or item.code or (name in named and called[name] == 1):
            continue
        variable = program.names.objects.get(item.name)
        if variable is None:
            if item.size and not _is_text(item):
                kept.append(original(item.name))
        elif _is_plain(program.names, variable.type):
            lost.append(item)
        else:
            kept.append(variable.name)
    if not lost or begins not in program.functions:
        return program, tuple(sorted(kept))
    return _havocked(program, begins, lost), tuple(sorted(kept))


def _is_text(item: m.Global) -> bool:
    """A literal, which nothing may write."""
    return original(item.name).startswith(".str")


def _is_plain(names: SourceNames, type_: int, depth: int = 0) -> bool:
    match names.type(type_):
        case NumberType() | EnumType():
            return True
        case ArrayOf(element):
            return depth < _DEEPEST and _is_plain(names, element, depth + 1)
        case StructType(members=members):
            return depth < _DEEPEST and all(_is_plain(names, one.type, depth + 1) for one in members)
    return False


def _havocked(program: m.Program, begins: str, items: list[m.Global]) -> m.Program:
    bits = program.layout.pointer_bits
    body = program.functions[begins]
    sites, made = list(program.sites), []
    for item in items:
        sites.append(Site(len(sites), "undefined", original(item.name), "", item.at))
        size = m.Constant(item.size, IntType(bits))
        made.append(m.Havoc(m.Address(item.name, 0, PointerType(bits)), size, len(sites) - 1, item.at))
    first = body.blocks[0]
    first = replace(first, instructions=(*made, *first.instructions))
    functions = {**program.functions, begins: replace(body, blocks=(first, *body.blocks[1:]))}
    return replace(program, functions=functions, sites=tuple(sites))
