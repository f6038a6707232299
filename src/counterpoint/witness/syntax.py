"""Where statements, loops, branchings and calls of a C file stand, as byte offsets: read off clang's syntax tree.

Only what stands in the file itself is told of, and of what a macro writes only where the macro's name stands.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from counterpoint.core.errors import UnusableInput
from counterpoint.frontend.c.clang import syntax_tree
from counterpoint.frontend.task import SourceTask
from counterpoint.witness.source import Text

_Node = dict[str, Any]

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
    """`close` is the offset of its right parenthesis."""

    range: Range
    close: int
    callee: str
    type: str
    function: str


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
    """Of one file, each list in the order of the text; `types` are names of types, also those of headers."""

    text: Text
    statements: list[Statement] = field(default_factory=list)
    loops: list[Loop] = field(default_factory=list)
    branchings: list[Branching] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    variables: list[Variable] = field(default_factory=list)
    functions: list[Definition] = field(default_factory=list)
    returns: list[Range] = field(default_factory=list)
    types: set[str] = field(default_factory=set)

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


def syntax_of(task: SourceTask, text: Text) -> Syntax:
    """Raises UnusableInput where clang's tree of the file cannot be read."""
    printed = syntax_tree(task, text.path).decode("utf-8", "replace")
    try:
        tree, _ = json.JSONDecoder().raw_decode(printed, max(printed.find("{"), 0))
        return _Reader(text, os.path.realpath(text.path)).read(tree)
    except (ValueError, RecursionError, KeyError, AttributeError, TypeError):
        raise UnusableInput(f"{text.path}: clang's syntax tree of it cannot be read: a witness needs it") from None


@dataclass(slots=True)
class _Reader:
    """`spans`: where nodes of the file stand, by identity; `names`: where their names do; `plain`: those whose first
    token no macro wrote."""

    text: Text
    real: str
    file: str = ""
    spans: dict[int, Range] = field(default_factory=dict)
    names: dict[int, int] = field(default_factory=dict)
    plain: set[int] = field(default_factory=set)
    found: Syntax = field(init=False)

    def __post_init__(self) -> None:
        self.found = Syntax(self.text)

    def read(self, tree: _Node) -> Syntax:
        self._locate(tree)
        whole = Range(0, len(self.text.content) + 1)
        for node in tree.get("inner", ()):
            match node.get("kind"):
                case "TypedefDecl":
                    self.found.types.add(node.get("name", ""))
                case "VarDecl" if "name" in node:
                    start = self.spans[id(node)].begin if id(node) in self.spans else 0
                    self.found.variables.append(Variable(node["name"], _type(node), Range(start, whole.end)))
                case "FunctionDecl" if (body := _body(node)) is not None and id(body) in self.spans:
                    self._function(node, body)
        return self.found

    # ------------------------------------------------------------ locations

    def _locate(self, root: _Node) -> None:
        """In the order of the text, as files are printed only where they change; without recursion."""
        stack: list[_Node] = [root]
        while stack:
            node = stack.pop()
            if "loc" in node:
                at = self._place(node["loc"])
                if at is not None:
                    self.names[id(node)] = at[0]
            if "range" in node:
                begin = self._place(node["range"].get("begin", {}))
                end = self._place(node["range"].get("end", {}))
                if begin is not None and end is not None and end[1] >= begin[0]:
                    self.spans[id(node)] = Range(begin[0], end[1])
                    if begin[2]:
                        self.plain.add(id(node))
            stack.extend(part for part in reversed(node.get("inner", ())) if part)

    def _place(self, given: _Node) -> tuple[int, int, bool] | None:
        """Begin and end of the token, and whether it stands there itself; None outside of the file."""
        if "expansionLoc" in given or "spellingLoc" in given:
            if "spellingLoc" in given:
                self._place(given["spellingLoc"])
            found = self._place(given.get("expansionLoc", {}))
            return (found[0], self._arguments(found[1]), False) if found is not None else None
        self.file = given.get("file", self.file)
        if "offset" not in given or os.path.realpath(self.file) != self.real:
            return None
        return given["offset"], given["offset"] + given.get("tokLen", 1), True

    def _arguments(self, end: int) -> int:
        """Behind the arguments of a macro whose name ends there."""
        following = self.text.skipped(end)
        closed = self.text.closing(following) if self.text.content[following : following + 1] == b"(" else None
        return closed + 1 if closed is not None else end

    # ------------------------------------------------------------ functions

    def _function(self, node: _Node, body: _Node) -> None:
        name, span = node.get("name", ""), self.spans[id(body)]
        parameters = tuple(
            Variable(part.get("name", ""), _type(part), span, name)
            for part in node.get("inner", ())
            if part.get("kind") == "ParmVarDecl"
        )
        self.found.variables += [one for one in parameters if one.name]
        at = self.names.get(id(node), span.begin)
        self.found.functions.append(Definition(name, _type(node), parameters, at, span))
        for part, parent, position, scope in self._below(body, span):
            if id(part) in self.spans:
                self._statement(part, parent, position, name)
                self._expression(part, name)
                self._variable(part, scope, name)

    def _below(self, body: _Node, span: Range) -> Iterator[tuple[_Node, _Node, int, Range]]:
        """Each node below with the one above, its position there and the scope around, in the order of the text."""
        stack: list[tuple[_Node, _Node, int, Range]] = [(body, {}, 0, span)]
        while stack:
            node, parent, position, scope = stack.pop()
            yield node, parent, position, scope
            inner = scope
            if node.get("kind") in ("CompoundStmt", "ForStmt"):
                inner = self.spans.get(id(node), scope)
            parts = [(part, node, number, inner) for number, part in enumerate(node.get("inner", ())) if part]
            stack.extend(reversed(parts))

    def _statement(self, node: _Node, parent: _Node, position: int, function: str) -> None:
        kind, above, span = node.get("kind", ""), parent.get("kind", ""), self.spans[id(node)]
        is_condition = _CONDITIONS.get(above) == position and above != "ConditionalOperator"
        if not _is_statement(above, position) and not is_condition and not (above == "ForStmt" and position == 3):
            return
        if kind == "CompoundStmt" or (id(node) not in self.plain and kind.endswith("Stmt") and kind != "DeclStmt"):
            return
        within = is_condition or (above == "ForStmt" and position in (0, 3))
        label = kind in ("LabelStmt", "CaseStmt", "DefaultStmt")
        self.found.statements.append(Statement(span, function, kind == "DeclStmt", within, label))
        if kind == "ReturnStmt":
            self.found.returns.append(span)

    def _expression(self, node: _Node, function: str) -> None:
        kind, span = node.get("kind", ""), self.spans[id(node)]
        if kind in _CONDITIONS and (id(node) in self.plain or kind == "ConditionalOperator"):
            condition = self._part(node, _CONDITIONS[kind])
            keyword: int | None = span.begin
            if kind == "ConditionalOperator":
                keyword = self.text.find(b"?", condition.end, span.end) if condition is not None else None
            if keyword is not None:
                self.found.branchings.append(Branching(kind, keyword, condition, function))
            if kind in _LOOPS:
                self.found.loops.append(Loop(_LOOPS[kind], span, function, condition, self._first(node, span)))
        elif kind == "CallExpr" and self.text.content[span.end - 1 : span.end] == b")":
            self.found.calls.append(Call(span, span.end - 1, _callee(node), _type(node), function))

    def _variable(self, node: _Node, scope: Range, function: str) -> None:
        if node.get("kind") == "VarDecl" and "name" in node:
            here = Range(self.spans[id(node)].begin, scope.end)
            self.found.variables.append(Variable(node["name"], _type(node), here, function))

    def _part(self, node: _Node, number: int) -> Range | None:
        parts = node.get("inner", ())
        return self.spans.get(id(parts[number])) if number < len(parts) else None

    def _first(self, loop: _Node, span: Range) -> int:
        """Where the first statement of its body begins."""
        parts, number = loop.get("inner", ()), _BODIES[loop["kind"]]
        body = parts[number] if number < len(parts) else {}
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


def _callee(node: _Node) -> str:
    """The function that is called by name, "" where there is none."""
    part: _Node = next(iter(node.get("inner", ())), {})
    while part.get("kind") in ("ImplicitCastExpr", "ParenExpr"):
        part = next(iter(part.get("inner", ())), {})
    name = part.get("referencedDecl", {}).get("name", "")
    return str(name) if part.get("referencedDecl", {}).get("kind") == "FunctionDecl" else ""


def _body(node: _Node) -> _Node | None:
    return next((part for part in node.get("inner", ()) if part.get("kind") == "CompoundStmt"), None)


def _type(node: _Node) -> str:
    given = node.get("type", {})
    return str(given.get("desugaredQualType") or given.get("qualType", ""))
