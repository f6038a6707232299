"""The objects of a function as clang's syntax tree has them: its variables and its compound literals, with their types
and the locations of their initialisers.

clang prints trees as JSON. A location is a line and a column as debug information has them: where a macro is expanded,
and as `#line` says. Lines and files are printed only where they change, so locations are read in the order of the text.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from counterpoint.frontend.c.clang import syntax_tree
from counterpoint.frontend.definition.initialisers import Location, Span
from counterpoint.frontend.task import SourceTask

MOST_TREES = 3
"""For more functions clang prints the whole file."""

_Node = dict[str, Any]
_AROUND = frozenset({"ParenExpr", "ConstantExpr", "ExprWithCleanups", "GenericSelectionExpr"})


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable that is no static one. `type` as C writes it; `initialiser` None if it has none."""

    name: str
    type: str
    location: Location
    initialiser: Span | None


@dataclass(frozen=True, slots=True)
class Literal:
    """A compound literal; `is_value`: only its value is used, so that it may be made where that goes; `is_target`: it
    stands in what an assignment changes."""

    type: str
    span: Span
    is_value: bool
    is_target: bool = False


@dataclass(frozen=True, slots=True)
class Objects:
    """Those of a function, in the order of the text."""

    variables: tuple[Variable, ...]
    literals: tuple[Literal, ...]


def objects_of(task: SourceTask, file: Path, functions: Set[str]) -> dict[tuple[str, int], Objects]:
    """The objects of functions of these names, by name and line of the name; {} if the tree is no tree."""
    found: dict[tuple[str, int], Objects] = {}
    try:
        for name in sorted(functions) if len(functions) <= MOST_TREES else ("",):
            for tree in _trees(syntax_tree(task, file, name).decode("utf-8", "replace")):
                found |= _objects_in(tree, functions)
    except (ValueError, KeyError, RecursionError):
        return {}
    return found


def _objects_in(tree: _Node, functions: Set[str]) -> dict[tuple[str, int], Objects]:
    reader = Reader()
    reader.location(tree)
    wanted = (one for one in (tree, *tree.get("inner", ())) if one.get("kind") == "FunctionDecl")
    return {
        (function["name"], reader.locations[id(function)][0]): reader.objects_in(function)
        for function in wanted
        if function.get("name") in functions
    }


def _trees(text: str) -> Iterator[_Node]:
    decoder, position = json.JSONDecoder(), 0
    while (position := text.find("{", position)) >= 0:
        tree, position = decoder.raw_decode(text, position)
        yield tree


def static_literals(task: SourceTask, file: Path) -> tuple[Literal, ...] | None:
    """The compound literals that are static objects: outside of functions, and in initialisers of static variables.
    None if the tree is no tree."""
    try:
        reader = Reader()
        for tree in _trees(syntax_tree(task, file).decode("utf-8", "replace")):
            reader.location(tree)
            reader.statics(tree, is_static=True)
    except (ValueError, KeyError, RecursionError):
        return None
    return tuple(reader.literals)


class Reader:
    """Reads one tree, which begins in a line: first all locations, in the text's order, then what is wanted of it."""

    def __init__(self, line: int = 0) -> None:
        self.line = self.presumed = line
        self.locations: dict[int, Location] = {}
        self.spans: dict[int, Span] = {}
        self.variables: list[Variable] = []
        self.literals: list[Literal] = []

    def location(self, node: _Node) -> None:
        """Notes the locations of a node and all below."""
        if "loc" in node:
            self.locations[id(node)] = self._read(node["loc"])
        if "range" in node:
            first, last = self._read(node["range"].get("begin", {})), self._read(node["range"].get("end", {}))
            self.spans[id(node)] = Span(first, max(first, last))
        for part in node.get("inner", ()):
            self.location(part)

    def _read(self, given: _Node) -> Location:
        if "expansionLoc" in given:
            if "spellingLoc" in given:
                self._read(given["spellingLoc"])
            return self._read(given["expansionLoc"])
        if "line" in given:
            self.line = self.presumed = given["line"]
        self.presumed = given.get("presumedLine", self.presumed)
        return self.presumed, given.get("col", 0)

    def objects_in(self, function: _Node) -> Objects:
        """Those of one function."""
        self.variables, self.literals = [], []
        self.objects(function, is_value=False)
        return Objects(tuple(self.variables), tuple(self.literals))

    def objects(self, node: _Node, is_value: bool, is_target: bool = False) -> None:
        """Notes the objects of a node and all below; `is_value`: only the node's value is used, `is_target`: it is part
        of what an assignment changes."""
        kind = node.get("kind")
        if kind == "VarDecl" and node.get("storageClass") in ("static", "extern"):
            return
        if kind == "VarDecl" and "name" in node:
            location, last = self.locations[id(node)], self.spans[id(node)].last
            span = Span(location, max(location, last)) if "init" in node else None
            self.variables.append(Variable(node["name"], _type(node), location, span))
        if kind == "CompoundLiteralExpr":
            self.literals.append(Literal(_type(node), self.spans[id(node)], is_value, is_target))
        loads = kind == "ImplicitCastExpr" and node.get("castKind") == "LValueToRValue"
        changes = kind == "CompoundAssignOperator" or node.get("opcode") in ("=", "++", "--")
        for position, part in enumerate(node.get("inner", ())):
            changed = is_target or (changes and position == 0)
            self.objects(part, loads or (is_value and kind in _AROUND), changed)

    def statics(self, node: _Node, is_static: bool) -> None:
        """Notes the literals that are static objects."""
        kind = node.get("kind")
        if kind == "CompoundLiteralExpr" and is_static:
            self.literals.append(Literal(_type(node), self.spans[id(node)], False))
        if kind == "FunctionDecl":
            is_static = False
        elif kind == "VarDecl" and node.get("storageClass") == "static":
            is_static = True
        for part in node.get("inner", ()):
            self.statics(part, is_static)


def _type(node: _Node) -> str:
    type_ = node.get("type", {})
    return str(type_.get("desugaredQualType", type_.get("qualType", "")))
