"""What a C file declares, as clang reads it: parameters of a function, global variables, the members of structures.

Used to make arguments: `Declarations.filled(type, place)` is C that gives an object of the type random content.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from counterpoint.core.errors import UnusableInput
from counterpoint.frontend.c.clang import zig

_ARITHMETIC = re.compile(
    r"(unsigned |signed )?(char|short|int|long|long long|__int128)|_Bool|bool|enum .*|unsigned|signed"
)
_FLOATING = ("float", "double", "long double")
_ARRAY = re.compile(r"(.*?)\s*\[(\d+)\](.*)$")


@dataclass(frozen=True, slots=True)
class Variable:
    """A parameter, a global variable or a member; `type` as C writes it, without names given by typedef."""

    name: str
    type: str


@dataclass(frozen=True, slots=True)
class Function:
    name: str
    result: str
    parameters: tuple[Variable, ...]


@dataclass(slots=True)
class Declarations:
    """Functions by name, global variables that may change, members by the record's type, types by typedef name."""

    functions: dict[str, Function] = field(default_factory=dict)
    variables: list[Variable] = field(default_factory=list)
    members: dict[str, tuple[Variable, ...]] = field(default_factory=dict)
    named: dict[str, str] = field(default_factory=dict)

    def plain(self, type_: str) -> str:
        """The type without qualifiers and typedef names at its front."""
        seen: set[str] = set()
        while True:
            type_ = re.sub(r"\b(const|volatile|restrict|register|struct|union)\b ?", "", type_).strip()
            head = re.match(r"\w+(?: \w+)*", type_)
            if head is None or head[0] not in self.named or head[0] in seen:
                return type_
            seen.add(head[0])
            type_ = self.named[head[0]] + type_[head.end() :]

    def filled(self, type_: str, place: str, depth: int = 0) -> str | None:
        """Statements that give the object random content; null pointers; None if it has parts of other types."""
        plain = self.plain(type_)
        if plain.endswith("*") or "(*" in plain:
            return f"{place} = 0;"
        if _ARITHMETIC.fullmatch(plain):
            return f"{place} = (__typeof__({place}))ct_integer();" if depth == 0 else f"{place} = ct_integer();"
        if plain in _FLOATING:
            return f"{place} = ct_float();"
        if found := _ARRAY.match(plain):
            index = f"ct_i{depth}"
            inner = self.filled(found[1] + found[3], f"{place}[{index}]", depth + 1)
            return inner and f"for (int {index} = 0; {index} < {found[2]}; {index}++) {{ {inner} }}"
        if plain in self.members and depth < 6:
            parts = [self.filled(one.type, f"{place}.{one.name}", depth + 1) for one in self.members[plain] if one.name]
            return None if None in parts else " ".join(part for part in parts if part)
        return None


def declarations(file: Path, options: Sequence[str] = ()) -> Declarations:
    """What the file declares. Raises UnusableInput if clang does not take it."""
    command = [zig(), "cc", "-w", "-fsyntax-only", "-Xclang", "-ast-dump=json", *options, str(file.resolve())]
    done = subprocess.run(command, capture_output=True, text=True)
    try:
        tree = json.loads(done.stdout)
    except ValueError:
        raise UnusableInput(f"{file}: not read by clang: {done.stderr.strip()[-300:]}") from None
    found, records = Declarations(), _Records()
    for node in tree["inner"]:
        _add(found, records, node)
    return found


@dataclass(slots=True)
class _Records:
    """The record that was declared last: a typedef of an anonymous one names it."""

    last: tuple[Variable, ...] = ()


def _add(found: Declarations, records: _Records, node: Any) -> None:
    kind, name = node["kind"], node.get("name", "")
    if kind == "RecordDecl" and node.get("completeDefinition"):
        records.last = tuple(_members(found, node))
        if name:
            found.members[name] = records.last
    elif kind == "TypedefDecl":
        type_ = node["type"].get("desugaredQualType", node["type"]["qualType"])
        bare = re.sub(r"^(struct|union) ", "", type_)
        if bare == name or "unnamed" in type_ or "anonymous" in type_:
            found.members.setdefault(name, records.last)
        else:
            found.named[name] = type_
    elif kind == "FunctionDecl":
        inner = [one for one in node.get("inner", ()) if one["kind"] == "ParmVarDecl"]
        parameters = tuple(Variable(one.get("name", ""), _type(one)) for one in inner)
        if name not in found.functions or any(one["kind"] == "CompoundStmt" for one in node.get("inner", ())):
            found.functions[name] = Function(name, node["type"]["qualType"].partition("(")[0].strip(), parameters)
    elif kind == "VarDecl" and not _type(node).startswith("const ") and node.get("storageClass") != "extern":
        found.variables += [] if name in {one.name for one in found.variables} else [Variable(name, _type(node))]


def _members(found: Declarations, node: Any) -> Iterator[Variable]:
    inside: tuple[Variable, ...] = ()
    for one in node.get("inner", ()):
        if one["kind"] == "RecordDecl" and one.get("completeDefinition"):
            inside = tuple(_members(found, one))
            if one.get("name"):
                found.members[one["name"]] = inside
        if one["kind"] == "FieldDecl":
            type_ = _type(one)
            if "(unnamed" in type_ or "(anonymous" in type_:
                found.members[_ARRAY.sub(r"\1", found.plain(type_))] = inside
            yield Variable(one.get("name", ""), type_)


def _type(node: Any) -> str:
    return str(node["type"].get("desugaredQualType", node["type"]["qualType"]))
