"""Types and names as the text of a harness has them: what clang writes for a type is not always C."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import field
from typing import Final

from counterpoint.contracts.shapes import Number, Types, spelled
from counterpoint.core.patterns import regex
from counterpoint.core.records import dataclass

_PLAIN: Final = regex(r"[\w ]+?[ *]*")
_UNNAMED: Final = regex(r"\((?:unnamed|anonymous)\b")
_QUALIFIERS: Final = regex(r"\b(?:const|volatile|restrict|_Atomic)\b ?")
_BOOL: Final = regex(r"\bbool\b")
_DEEPEST: Final = 40
_FUNCTION: Final = regex(r"(?P<result>[\w ]+?[ *]*)(?:\(\*(?:const)?\))?\((?P<parameters>.*)\)", re.DOTALL)

INPUTS: Final = {
    "_Bool": "bool", "bool": "bool", "char": "char", "signed char": "schar", "unsigned char": "uchar",
    "short": "short", "unsigned short": "ushort", "int": "int", "unsigned int": "uint", "long": "long",
    "unsigned long": "ulong", "long long": "longlong", "unsigned long long": "ulonglong", "float": "float",
    "double": "double",
}  # fmt: skip
"""The ends of the names of `__VERIFIER_nondet_*` by the type that they give."""

_KEYWORDS: Final = frozenset(
    # of C, in any of its versions
    ("auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum", "extern", "float",
     "for", "goto", "if", "inline", "int", "long", "register", "restrict", "return", "short", "signed", "sizeof",
     "static", "struct", "switch", "typedef", "union", "unsigned", "void", "volatile", "while", "asm", "typeof", "bool",
     "true", "false", "nullptr", "constexpr", "alignas", "alignof", "static_assert", "thread_local", "typeof_unqual",
     # of the harness
     "main", "NULL", "size_t", "malloc", "calloc", "realloc", "free", "memset", "tmpfile", "MOST", "any_block",
     "any_string")
)


def is_nameable(type_: str) -> bool:
    """Whether C can say the type."""
    return _UNNAMED.search(type_) is None


def changeable(types: Types, type_: str) -> str:
    """The type without const, also where a typedef says const."""
    text = spelled(types, type_)
    for _ in range(_DEEPEST):
        if "*" in text or not types.is_constant(text) or text not in types.typedefs:
            break
        text = spelled(types, types.typedefs[text])
    return text if "bool" in types.typedefs else _BOOL.sub("_Bool", text)


def declared(type_: str, name: str) -> str:
    """A declaration of the name, without the semicolon."""
    if _PLAIN.fullmatch(type_):
        return f"{type_}{name}" if type_.endswith("*") else f"{type_} {name}"
    return f"__typeof__({type_}) {name}"


def kind_of(shape: Number) -> str:
    """The end of the name of the function that gives a value of the type."""
    return INPUTS.get(shape.spelled, "int")


@dataclass(frozen=True, slots=True)
class Signature:
    """Of a function that a pointer leads to; `parameters` are types, "..." among them."""

    result: str
    parameters: tuple[str, ...]


def signature(types: Types, type_: str) -> Signature | None:
    """Of a pointer to a function, or of a function; None for one that gives back a function."""
    text = type_.strip()
    for _ in range(_DEEPEST):
        bare = _QUALIFIERS.sub("", text).strip()
        if bare.endswith("*") and (inner := bare[:-1].strip()) in types.typedefs:
            bare = inner
        if bare not in types.typedefs:
            break
        text = types.typedefs[bare]
    found = _FUNCTION.fullmatch(text)
    if found is None or "(" in found["result"] or not _is_closed(found["parameters"]):
        return None
    return Signature(found["result"].strip(), tuple(_split(found["parameters"])))


def _is_closed(text: str) -> bool:
    """Whether each parenthesis in the text is closed in it."""
    depth = 0
    for character in text:
        depth += {"(": 1, ")": -1}.get(character, 0)
        if depth < 0:
            return False
    return depth == 0


def _split(parameters: str) -> Iterable[str]:
    """At the commas that are in no parentheses."""
    depth, start = 0, 0
    for position, character in enumerate(parameters):
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(character, 0)
        if character == "," and not depth:
            yield parameters[start:position].strip()
            start = position + 1
    if (last := parameters[start:].strip()) and last != "void":
        yield last


@dataclass(slots=True)
class Names:
    """Names that mean nothing else in the harness."""

    taken: set[str] = field(default_factory=set)

    def new(self, wanted: str) -> str:
        """The name, or one like it."""
        base = re.sub(r"\W+", "_", wanted).strip("_") or "value"
        if base[0].isdigit():
            base = f"a{base}"
        name, number = base, 1
        while name in self.taken or name in _KEYWORDS:
            number += 1
            name = f"{base}_{number}"
        self.taken.add(name)
        return name
