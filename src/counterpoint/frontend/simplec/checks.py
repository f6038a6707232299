"""What a Simple C program must keep to beyond its grammar: one `main`, declared names, 32-bit literals."""

from __future__ import annotations

from typing import NoReturn

from counterpoint.core.errors import UnusableInput
from counterpoint.frontend.simplec import syntax as s

LARGEST = 0xFFFF_FFFF
DEEPEST = 2_000
"""Operations inside each other; the compiler's stack is not endless."""


def check(procedures: tuple[s.Procedure, ...], file: str) -> s.Procedure:
    """The program's only procedure. Raises UnusableInput for the first thing that is wrong, with its place."""
    if not procedures:
        raise UnusableInput(f"{file}:1:1: there is no procedure: expected `void main(...) {{ ... }}`")
    checker = _Checker(file)
    for procedure in procedures:
        if procedure.name != "main":
            checker.refuse(procedure.name_at, f"the procedure is called `{procedure.name}`: expected `main`")
    if len(procedures) > 1:
        checker.refuse(procedures[1].at, "a second procedure: a Simple C program is one procedure `main`")
    checker.procedure(procedures[0])
    return procedures[0]


class _Checker:
    """`scopes` are the visible variables with their declarations, innermost last."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.scopes: list[dict[str, s.Position]] = []

    def refuse(self, at: s.Position, problem: str) -> NoReturn:
        raise UnusableInput(f"{self.file}:{at.line}:{at.column}: {problem}")

    def procedure(self, procedure: s.Procedure) -> None:
        """Parameters live in the scope of the outermost block, as in C."""
        self.scopes.append({})
        for parameter in procedure.parameters:
            self.declare(parameter.name, parameter.at)
        for statement in procedure.body.statements:
            self.statement(statement)

    def statement(self, statement: s.Statement) -> None:
        match statement:
            case s.Block(statements):
                self.scopes.append({})
                for inner in statements:
                    self.statement(inner)
                self.scopes.pop()
            case s.Declaration(name, value, at):
                if value is not None:
                    self.initialiser(name, value)
                self.declare(name, at)
            case s.Assignment(name, value, at):
                self.declared(name, at)
                self.expression(value)
            case s.Assertion(condition) | s.Assumption(condition):
                self.expression(condition)
            case s.Havoc(name, _, at):
                self.declared(name, at)
            case s.If(condition, then, other):
                self.expression(condition)
                self.inner(then)
                if other is not None:
                    self.inner(other)
            case s.While(condition, annotations, body):
                self.expression(condition)
                for annotation in annotations:
                    self.expression(s.annotated(annotation))
                self.inner(body)

    def inner(self, statement: s.Statement) -> None:
        """A branch or loop body is a scope, with or without braces."""
        self.scopes.append({})
        self.statement(statement)
        self.scopes.pop()

    def declare(self, name: str, at: s.Position) -> None:
        before = self.scopes[-1].setdefault(name, at)
        if before is not at:
            self.refuse(at, f"`{name}` is declared again: it was declared here in line {before.line}")

    def declared(self, name: str, at: s.Position) -> None:
        if not any(name in scope for scope in self.scopes):
            self.refuse(at, f"`{name}` is not declared: write `int {name};` before it")

    def initialiser(self, name: str, value: s.Expression) -> None:
        for part in s.children_first(value):
            if isinstance(part, s.Name) and part.name == name:
                self.refuse(part.at, f"`{name}` is used in its own initialiser")
        self.expression(value)

    def expression(self, expression: s.Expression) -> None:
        depth: dict[int, int] = {}
        for part in s.children_first(expression):
            depth[id(part)] = 1 + max((depth[id(child)] for child in s.children(part)), default=0)
            match part:
                case s.Number(value, at) if value > LARGEST:
                    self.refuse(at, f"the number has more than 32 bits: the largest is {LARGEST}")
                case s.Name(name, at):
                    self.declared(name, at)
                case (s.Unary(at=at) | s.Binary(at=at)) if depth[id(part)] > DEEPEST:
                    self.refuse(at, f"more than {DEEPEST} operations inside each other: use a variable")
