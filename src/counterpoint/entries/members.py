"""What types and text of a file tell of members, which are pointers, also in unions; of arrays; of the heap."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final

from counterpoint.contracts.declarations import Declarations, Function, Variable
from counterpoint.contracts.shapes import UNION, Array, Other, Pointer, Record, Types
from counterpoint.contracts.views import NoDriver
from counterpoint.core.patterns import regex
from counterpoint.entries.c_text import c_text

_DEEPEST: Final = 20

_HARMLESS: Final = frozenset(
    (
        "memcpy", "memmove", "memset", "memcmp", "memchr", "strlen", "strcmp", "strncmp", "strcpy", "strncpy",
        "strcat", "strncat", "strchr", "strrchr", "strstr", "strspn", "strcspn", "strpbrk", "strtol", "strtoul",
        "strtod", "strtoll", "strtoull", "atoi", "atol", "atof", "abs", "labs", "isalnum", "isalpha", "isdigit",
        "islower", "isprint", "isspace", "isupper", "isxdigit", "ispunct", "iscntrl", "isgraph", "tolower",
        "toupper", "sprintf", "snprintf", "printf", "sscanf", "fabs", "floor", "ceil", "sqrt", "pow",
        "__builtin_expect", "localeconv", "__ctype_b_loc", "__assert_fail", "abort", "puts", "putchar",
    )
)  # fmt: skip
"""Library functions that neither make nor free blocks."""


def pointers(types: Types, type_: str, name: str = "", depth: int = 0) -> frozenset[str]:
    """Names of the pointers in an object of the type, those in unions too; `name` is that of one that is one itself."""
    match types.exact(type_):
        case Pointer() | Other("a pointer to a function"):
            return frozenset((name,)) - {""}
        case Array(element) if depth < _DEEPEST:
            return pointers(types, element, name, depth + 1)
        case Record(fields) if depth < _DEEPEST:
            return frozenset().union(*(pointers(types, one.type, one.name, depth + 1) for one in fields))
        case Other(why) if why == UNION and depth < _DEEPEST:
            inner = types.union(type_)
            fields = inner.fields if inner is not None else ()
            return frozenset().union(*(pointers(types, one.type, one.name, depth + 1) for one in fields))
    return frozenset()


def is_table(one: Variable) -> bool:
    """A variable outside of functions whose initial value names functions or variables."""
    return bool(one.mentions) and one.defined and not one.local and not one.system


def behind(declared: Declarations, name: str) -> frozenset[str]:
    """What code of the function may get to (declarations.py), also through tables of functions in the file, where a
    structure of the caller's may have their functions."""
    found = declared.behind(name)
    if any(one.calls_pointers for own, one in declared.functions.items() if own in found):
        tables = (one for one in declared.variables.values() if is_table(one))
        records = (one.name for one in tables if isinstance(declared.types.exact(one.type), Record))
        found = found.union(*map(declared.behind, records))
    return found


def functions_behind(
    declared: Declarations, function: Function, others: Sequence[Declarations]
) -> list[tuple[Declarations, list[Function]]]:
    """By file, the functions that code of this one may get to; in the other files, too."""
    files = (declared, *others)
    known: set[str] = set()
    wanted = {function.name}
    while not wanted <= known:
        known |= wanted
        wanted = {name for file in files for one in wanted for name in behind(file, one)}
    return [(file, [one for one in file.functions.values() if one.name in known]) for file in files]


_CAST: Final = regex(r"\(\s*((?:struct\s+)?\w+)\s*\*\s*\)\s*\(?\s*\w[\w>.-]*(?:->|\.)(\w+)\b(?!\s*[(\[.-])")


def casts(file: Path) -> dict[str, frozenset[str]]:
    """Types of the pointers that the file makes of members, by their names: `(struct state *)file->private`."""
    return _casts(c_text(file))


@cache
def _casts(text: str) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for type_, name in _CAST.findall(text):
        if type_ not in ("char", "void"):
            found.setdefault(name, set()).add(type_)
    return {name: frozenset(types) for name, types in found.items()}


def meant(declared: Declarations, text: str) -> str | None:
    """The structure whose pointer the file makes of a `void *` member of this name, if it is one only."""
    *owners, name = re.findall(r"\w+", text)
    types = casts(declared.file).get(name, frozenset())
    if not owners or len(types) != 1:
        return None
    (type_,) = types
    try:
        return type_ if isinstance(declared.types.exact(type_), Record) else None
    except NoDriver:
        return None


_SIZE: Final = regex(r"\[(\d+)\]")


def sizes(declared: Declarations, function: Function) -> tuple[int, ...]:
    """Of arrays among the variables that the function names, and among members that it speaks of."""
    types = [declared.variables[name].type for name in sorted(function.uses) if name in declared.variables]
    types += [type_ for _, type_ in function.inside]
    members = (field for record in declared.types.records.values() for field in record.fields)
    types += [one.type for one in members if one.name in function.fields]
    return tuple(dict.fromkeys(int(size) for type_ in types for size in _SIZE.findall(type_) if int(size) > 1))


def works_with_heap(declared: Declarations, function: Function) -> bool:
    """Whether code that the function may get to makes or frees blocks, as far as the file tells."""
    names = declared.behind(function.name)
    known = declared.functions.keys() | _HARMLESS
    own = (one for name, one in declared.functions.items() if name in names)
    return any(one.calls_pointers or one.calls - known for one in own)
