"""The objects of a function as clang's syntax tree has them: its variables and its compound literals, with their types
and the locations of their initialisers.

A location is a line and a column as debug information has them: where a macro is expanded, and as `#line` says.
"""

from __future__ import annotations

from collections.abc import Set
from pathlib import Path

from counterpoint.core.records import dataclass
from counterpoint.frontend.c.tree import Node, Place, Tree, parts, trees, type_of
from counterpoint.frontend.definition.initialisers import Location, Span
from counterpoint.frontend.task import SourceTask

MOST_TREES = 3
"""For more functions clang prints the whole file."""

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
            for tree in trees(task, file, name):
                found |= _objects_in(tree, functions)
    except (ValueError, KeyError, RecursionError):
        return {}
    return found


def _objects_in(tree: Tree, functions: Set[str]) -> dict[tuple[str, int], Objects]:
    wanted = (one for one in (tree.root, *tree) if one.get("kind") == "FunctionDecl")
    return {
        (function["name"], tree.names[id(function)].presumed_line): _Reader(tree).objects_in(function)
        for function in wanted
        if function.get("name") in functions
    }


def static_literals(task: SourceTask, file: Path) -> tuple[Literal, ...] | None:
    """The compound literals that are static objects: outside of functions, and in initialisers of static variables.
    None if the tree is no tree."""
    literals: list[Literal] = []
    try:
        for tree in trees(task, file):
            reader = _Reader(tree)
            reader.statics(tree.root, is_static=True)
            literals += reader.literals
    except (ValueError, KeyError, RecursionError):
        return None
    return tuple(literals)


def _at(place: Place) -> Location:
    return place.presumed_line, place.column


class _Reader:
    """Reads what is wanted of a tree."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.variables: list[Variable] = []
        self.literals: list[Literal] = []

    def span(self, node: Node) -> Span:
        first, last = map(_at, self.tree.stretches[id(node)])
        return Span(first, max(first, last))

    def objects_in(self, function: Node) -> Objects:
        """Those of one function."""
        self.objects(function, is_value=False)
        return Objects(tuple(self.variables), tuple(self.literals))

    def objects(self, node: Node, is_value: bool, is_target: bool = False) -> None:
        """Notes the objects of a node and all below; `is_value`: only the node's value is used, `is_target`: it is part
        of what an assignment changes."""
        kind = node.get("kind")
        if kind == "VarDecl" and node.get("storageClass") in ("static", "extern"):
            return
        if kind == "VarDecl" and "name" in node:
            location, last = _at(self.tree.names[id(node)]), self.span(node).last
            span = Span(location, max(location, last)) if "init" in node else None
            self.variables.append(Variable(node["name"], type_of(node), location, span))
        if kind == "CompoundLiteralExpr":
            self.literals.append(Literal(type_of(node), self.span(node), is_value, is_target))
        loads = kind == "ImplicitCastExpr" and node.get("castKind") == "LValueToRValue"
        changes = kind == "CompoundAssignOperator" or node.get("opcode") in ("=", "++", "--")
        for position, part in enumerate(parts(node)):
            changed = is_target or (changes and position == 0)
            self.objects(part, loads or (is_value and kind in _AROUND), changed)

    def statics(self, node: Node, is_static: bool) -> None:
        """Notes the literals that are static objects."""
        kind = node.get("kind")
        if kind == "CompoundLiteralExpr" and is_static:
            self.literals.append(Literal(type_of(node), self.span(node), False))
        if kind == "FunctionDecl":
            is_static = False
        elif kind == "VarDecl" and node.get("storageClass") == "static":
            is_static = True
        for part in parts(node):
            self.statics(part, is_static)
