"""Where statements, loops, branchings and calls of a C file stand, as byte offsets: read off clang's syntax tree.

Only what stands in the file itself is told of, and of what a macro writes only where the macro's name stands.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import field
from typing import Final

from counterpoint.core.errors import UnusableInput
from counterpoint.core.records import dataclass
from counterpoint.frontend.c.tree import Node, Tree, body_of, file_tree, first_part, nodes, parts, type_of
from counterpoint.frontend.editing.source import Text
from counterpoint.frontend.task import SourceTask

_DECLARES: Final = frozenset(
    {"VarDecl", "ParmVarDecl", "FunctionDecl", "EnumConstantDecl", "FieldDecl", "IndirectFieldDecl"}
)
_LOOPS: Final = {"ForStmt": "for", "WhileStmt": "while", "DoStmt": "do"}
_BODIES: Final = {"ForStmt": 4, "WhileStmt": 1, "DoStmt": 0}
_CONDITIONS: Final = {"IfStmt": 0, "WhileStmt": 0, "DoStmt": 1, "ForStmt": 2, "SwitchStmt": 0, "ConditionalOperator": 0}
_HOLDS_STATEMENTS: Final = frozenset({"LabelStmt", "CaseStmt", "DefaultStmt", "CompoundStmt"})


@dataclass(frozen=True, slots=True)
class Range:
    """From the offset `begin` to `end`, which is behind the last token."""

    begin: int
    end: int

    def __contains__(self, offset: int) -> bool:
        return self.begin <= offset < self.end


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement, or a full expression in one (`condition`); `declaration`: of variables."""

    range: Range
    function: str
    declaration: bool = False
    condition: bool = False
    label: bool = False


@dataclass(frozen=True, slots=True)
class Loop:
    """`range.begin` is its keyword; `condition` None: it has none; `body` where the first statement in it begins."""

    kind: str
    range: Range
    function: str
    condition: Range | None
    body: int


@dataclass(frozen=True, slots=True)
class Branching:
    """`keyword`: of the statement, or the `?`; `kind` as clang calls it."""

    kind: str
    keyword: int
    condition: Range | None
    function: str


@dataclass(frozen=True, slots=True)
class Call:
    """`close` is the offset of its right parenthesis; `plain`: no macro writes its first token."""

    range: Range
    close: int
    callee: str
    type: str
    function: str
    plain: bool = True


@dataclass(frozen=True, slots=True)
class Variable:
    """`type` without typedefs; it has its name in `scope`."""

    name: str
    type: str
    scope: Range
    function: str = ""


@dataclass(frozen=True, slots=True)
class Definition:
    """A function's definition; `body` with its braces; `at` its name."""

    name: str
    type: str
    parameters: tuple[Variable, ...]
    at: int
    body: Range


@dataclass(slots=True)
class Syntax:
    """Of one file, each list in the order of the text; `blocks` are no `statements`; `types` are names of types, and
    `declared` of all else, members among it, also those of headers."""

    text: Text
    statements: list[Statement] = field(default_factory=list)
    loops: list[Loop] = field(default_factory=list)
    branchings: list[Branching] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    variables: list[Variable] = field(default_factory=list)
    functions: list[Definition] = field(default_factory=list)
    returns: list[Range] = field(default_factory=list)
    blocks: list[Statement] = field(default_factory=list)
    types: set[str] = field(default_factory=set)
    declared: set[str] = field(default_factory=set)

    def statement_around(self, offset: int) -> Statement | None:
        """The innermost statement or full expression there."""
        around = [one for one in self.statements if offset in one.range]
        return min(around, key=lambda one: one.range.end - one.range.begin, default=None)

    def loop_around(self, offsets: set[int]) -> Loop | None:
        """The innermost loop with all of them in it."""
        around = [one for one in self.loops if all(offset in one.range for offset in offsets)]
        return min(around, key=lambda one: one.range.end - one.range.begin, default=None)

    def visible(self, name: str, offset: int) -> Variable | None:
        """The variable of that name there, the innermost."""
        found = [one for one in self.variables if one.name == name and offset in one.scope]
        return min(found, key=lambda one: one.scope.end - one.scope.begin, default=None)


def syntax_of(task: SourceTask, text: Text, needed: str = "a witness needs it") -> Syntax:
    """Raises UnusableInput where clang's tree of the file cannot be read, which says for what it is `needed`."""
    tree = file_tree(task, text.path, needed)
    try:
        return _Reader(text, tree, Syntax(text)).read()
    except (KeyError, AttributeError, TypeError):
        raise UnusableInput(f"{text.path}: clang's syntax tree of it cannot be read: {needed}") from None


@dataclass(slots=True)
class _Reader:
    """`spans`: where nodes of the file stand, by identity, of those that something is told of."""

    text: Text
    tree: Tree
    found: Syntax
    spans: dict[int, Range] = field(default_factory=dict)

    def read(self) -> Syntax:
        self._spans()
        self.found.declared |= {node.get("name", "") for node in nodes(self.tree.root) if node.get("kind") in _DECLARES}
        for node in self.tree:
            match node.get("kind"):
                case "TypedefDecl":
                    self.found.types.add(node.get("name", ""))
                case "VarDecl" if "name" in node:
                    start = self.spans[id(node)].begin if id(node) in self.spans else 0
                    scope = Range(start, len(self.text.content) + 1)
                    self.found.variables.append(Variable(node["name"], type_of(node), scope))
                case "FunctionDecl" if (body := body_of(node)) is not None and id(body) in self.spans:
                    self._function(node, body)
        return self.found

    # ------------------------------------------------------------ places

    def _spans(self) -> None:
        own = os.path.realpath(self.text.path)
        files = {first.file for first, _ in self.tree.stretches.values()}
        here = {name for name in files if os.path.realpath(name) == own}
        for node, (first, last) in self.tree.stretches.items():
            if first.offset is None or last.offset is None or not {first.file, last.file} <= here:
                continue
            end = last.offset + last.length
            end = self._arguments(end) if last.macro else end
            if end >= first.offset:
                self.spans[node] = Range(first.offset, end)

    def _is_plain(self, node: Node) -> bool:
        """No macro wrote its first token."""
        return self.tree.stretches[id(node)].first.plain

    def _arguments(self, end: int) -> int:
        """Behind the arguments of a macro whose name ends there."""
        following = self.text.skipped(end)
        closed = self.text.closing(following) if self.text.content[following : following + 1] == b"(" else None
        return closed + 1 if closed is not None else end

    # ------------------------------------------------------------ functions

    def _function(self, node: Node, body: Node) -> None:
        name, span = node.get("name", ""), self.spans[id(body)]
        parameters = tuple(
            Variable(part.get("name", ""), type_of(part), span, name)
            for part in parts(node)
            if part.get("kind") == "ParmVarDecl"
        )
        self.found.variables += [one for one in parameters if one.name]
        named = self.tree.names[id(node)]
        is_here = named.file == self.tree.stretches[id(body)].first.file
        at = named.offset if named.offset is not None and is_here else span.begin
        self.found.functions.append(Definition(name, type_of(node), parameters, at, span))
        for part, parent, position, scope in self._below(body, span):
            if id(part) in self.spans:
                self._statement(part, parent, position, name)
                self._expression(part, name)
                self._variable(part, scope, name)

    def _below(self, body: Node, span: Range) -> Iterator[tuple[Node, Node, int, Range]]:
        """Each node below with the one above, its position there and the scope around, in the order of the text."""
        stack: list[tuple[Node, Node, int, Range]] = [(body, {}, 0, span)]
        while stack:
            node, parent, position, scope = stack.pop()
            yield node, parent, position, scope
            inner = scope
            if node.get("kind") in ("CompoundStmt", "ForStmt"):
                inner = self.spans.get(id(node), scope)
            below = [(part, node, number, inner) for number, part in enumerate(parts(node)) if part]
            stack.extend(reversed(below))

    def _statement(self, node: Node, parent: Node, position: int, function: str) -> None:
        kind, above, span = node.get("kind", ""), parent.get("kind", ""), self.spans[id(node)]
        is_condition = _CONDITIONS.get(above) == position and above != "ConditionalOperator"
        if not _is_statement(above, position) and not is_condition and not (above == "ForStmt" and position == 3):
            return
        if kind == "CompoundStmt":
            self.found.blocks.append(Statement(span, function))
        if kind == "CompoundStmt" or (not self._is_plain(node) and kind.endswith("Stmt") and kind != "DeclStmt"):
            return
        within = is_condition or (above == "ForStmt" and position in (0, 3))
        label = kind in ("LabelStmt", "CaseStmt", "DefaultStmt")
        self.found.statements.append(Statement(span, function, kind == "DeclStmt", within, label))
        if kind == "ReturnStmt":
            self.found.returns.append(span)

    def _expression(self, node: Node, function: str) -> None:
        kind, span = node.get("kind", ""), self.spans[id(node)]
        if kind in _CONDITIONS and (self._is_plain(node) or kind == "ConditionalOperator"):
            condition = self._part(node, _CONDITIONS[kind])
            keyword: int | None = span.begin
            if kind == "ConditionalOperator":
                keyword = self.text.find(b"?", condition.end, span.end) if condition is not None else None
            if keyword is not None:
                self.found.branchings.append(Branching(kind, keyword, condition, function))
            if kind in _LOOPS:
                self.found.loops.append(Loop(_LOOPS[kind], span, function, condition, self._first(node, span)))
        elif kind == "CallExpr" and self.text.content[span.end - 1 : span.end] == b")":
            plain = self._is_plain(node)
            self.found.calls.append(Call(span, span.end - 1, _callee(node), type_of(node), function, plain))

    def _variable(self, node: Node, scope: Range, function: str) -> None:
        if node.get("kind") == "VarDecl" and "name" in node:
            here = Range(self.spans[id(node)].begin, scope.end)
            self.found.variables.append(Variable(node["name"], type_of(node), here, function))

    def _part(self, node: Node, number: int) -> Range | None:
        return next((self.spans.get(id(part)) for part in parts(node)[number : number + 1]), None)

    def _first(self, loop: Node, span: Range) -> int:
        """Where the first statement of its body begins."""
        at = _BODIES[loop["kind"]]
        body = next(iter(parts(loop)[at : at + 1]), {})
        while body.get("kind") == "CompoundStmt" and body.get("inner"):
            body = body["inner"][0]
        return self.spans[id(body)].begin if id(body) in self.spans else span.begin


def _is_statement(above: str, position: int) -> bool:
    """Whether what stands there is a statement: all in a block, and the branches and bodies of others."""
    match above:
        case "CompoundStmt" | "LabelStmt" | "DefaultStmt":
            return True
        case "CaseStmt" | "IfStmt" | "WhileStmt" | "SwitchStmt":
            return position >= 1
        case "ForStmt":
            return position in (0, 4)
        case "DoStmt":
            return position == 0
    return False


def _callee(node: Node) -> str:
    """The function that is called by name, "" where there is none."""
    part = first_part(node)
    while part.get("kind") in ("ImplicitCastExpr", "ParenExpr"):
        part = first_part(part)
    name = part.get("referencedDecl", {}).get("name", "")
    return str(name) if part.get("referencedDecl", {}).get("kind") == "FunctionDecl" else ""
