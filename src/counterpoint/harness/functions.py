"""Functions for pointers to functions: of the type, giving back anything and changing nothing."""

from __future__ import annotations

import re
from dataclasses import field
from typing import Final

from counterpoint.contracts.shapes import Number, Other, Pointer, Real, Types
from counterpoint.core.records import dataclass
from counterpoint.harness.spelling import Names, Signature, changeable, declared, kind_of, signature

_ALLOCATION: Final = {
    (("size_t",), "void *"): ("malloc", re.compile("alloc", re.IGNORECASE)),
    (("unsigned long",), "void *"): ("malloc", re.compile("alloc", re.IGNORECASE)),
    (("void *", "size_t"), "void *"): ("realloc", re.compile("realloc", re.IGNORECASE)),
    (("size_t", "size_t"), "void *"): ("calloc", re.compile("calloc", re.IGNORECASE)),
    (("void *",), "void"): ("free", re.compile("free|dealloc|release", re.IGNORECASE)),
}
"""Pointers to functions of these types and names are the library's."""

LIBRARY: Final = frozenset(name for name, _ in _ALLOCATION.values())


@dataclass(slots=True)
class Functions:
    """Those of one harness; `texts` are their definitions, `inputs` the kinds of values that they ask for."""

    types: Types
    names: Names
    texts: list[str] = field(default_factory=list)
    inputs: set[str] = field(default_factory=set)
    made: dict[tuple[str, str], str] = field(default_factory=dict)

    def one(self, type_: str, path: str) -> str:
        """The name of a function for the pointer at the path, which is of the type."""
        known = self.made.get((type_, path))
        if known is not None:
            return known
        found = signature(self.types, type_)
        if found is not None and (library := _library(found, path)):
            return library
        name = self.names.new(f"any_{re.split(r'->|[.]', path)[-1]}")
        if found is None:
            pointer = f"{name}_type"
            self.texts.append(f"typedef __typeof__({type_}) {pointer};\nextern __typeof__(*({pointer})0) {name};")
        else:
            self.texts.append(self.definition(name, found))
        self.made[type_, path] = name
        return name

    def definition(self, name: str, found: Signature) -> str:
        parameters = [
            one if one == "..." else declared(without_bool(self.types, one), f"a{number}")
            for number, one in enumerate(found.parameters, 1)
        ]
        head = declared(without_bool(self.types, found.result), name)
        body = self.result(found.result)
        return f"static {head}({', '.join(parameters) or 'void'}) {{ {body}{' ' if body else ''}}}"

    def result(self, type_: str) -> str:
        if type_ == "void":
            return ""
        match self.types.shape(type_):
            case Number() as shape:
                return f"return {self.any(kind_of(shape))};"
            case Real() as shape:
                return f"return {self.any(shape.spelled)};"
            case Pointer() | Other("a pointer to a function"):
                return f"return {self.any('pointer')};"
        any_one = declared(changeable(self.types, type_), "any")
        return f"{any_one}; __VERIFIER_nondet_memory(&any, sizeof any); return any;"

    def any(self, kind: str) -> str:
        self.inputs.add(kind)
        return f"__VERIFIER_nondet_{kind}()"


def without_bool(types: Types, type_: str) -> str:
    """The type where C may have no name `bool`."""
    return type_ if "bool" in types.typedefs else re.sub(r"\bbool\b", "_Bool", type_)


def _library(found: Signature, path: str) -> str:
    name, pattern = _ALLOCATION.get((found.parameters, found.result), ("", None))
    return name if pattern is not None and pattern.search(path) else ""
