"""What the objects and functions of a program are called in its source, and their types there."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from counterpoint.core.patterns import regex
from counterpoint.frontend.debug_fields import ATTACHED, NAME_FIELD, TYPE_FIELD
from counterpoint.frontend.debug_types import DebugTypes
from counterpoint.frontend.lower.context import Context
from counterpoint.frontend.lower.text import quoted
from counterpoint.program.source_types import SourceFunction, SourceNames, SourceVariable

_VARIABLE: Final = regex(r"\bvar: (!\d+)")
_HOW: Final = regex(r"\bexpr: !DIExpression\(([^)]*)\)")
_FRAGMENT: Final = regex(r"(?:DW_OP_LLVM_fragment, (\d+), \d+)?")
_PARAMETER: Final = regex(r"\barg: (\d+)")


def source_names(context: Context, functions: Iterable[str], objects: Iterable[str]) -> SourceNames:
    """Those that debug information knows."""
    types = DebugTypes(context.module.metadata)
    variables = {
        name: found
        for name in objects
        if (text := context.module.globals.get(name)) is not None
        and (attached := ATTACHED.search(text)) is not None
        and (found := _global(context, types, attached[1])) is not None
    }
    locals_ = {
        site: found
        for site, reference in context.declared.items()
        if (found := _variable(context, types, reference)) is not None
    }
    known = {name: told for name in functions if (told := _function(context, types, name)) is not None}
    return SourceNames(tuple(types.types), variables, locals_, known)


def _global(context: Context, types: DebugTypes, reference: str) -> SourceVariable | None:
    """None where a pass made something else of the variable than a part of its bytes."""
    text = context.module.metadata.get(reference, "")
    variable, how = _VARIABLE.search(text), _HOW.search(text)
    fragment = _FRAGMENT.fullmatch(how[1]) if how is not None else None
    if variable is None or fragment is None or int(fragment[1] or 0) % 8:
        return None
    found = _variable(context, types, variable[1])
    return replace(found, offset=int(fragment[1]) // 8) if found is not None and fragment[1] else found


def _variable(context: Context, types: DebugTypes, reference: str) -> SourceVariable | None:
    text = context.module.metadata.get(reference, "")
    name, type_, parameter = NAME_FIELD.search(text), TYPE_FIELD.search(text), _PARAMETER.search(text)
    if name is None or type_ is None or "DIFlagArtificial" in text:
        return None
    number = int(parameter[1]) if parameter is not None else 0
    return SourceVariable(quoted(name[1]), types.index(type_[1]), context.locations.location(reference), number)


def _function(context: Context, types: DebugTypes, name: str) -> SourceFunction | None:
    attached = ATTACHED.search(context.module.functions[name].header)
    text = context.module.metadata.get(attached[1], "") if attached is not None else ""
    said, type_ = NAME_FIELD.search(text), TYPE_FIELD.search(text)
    if attached is None or said is None or type_ is None:
        return None
    return SourceFunction(quoted(said[1]), types.index(type_[1]), context.locations.location(attached[1]))
