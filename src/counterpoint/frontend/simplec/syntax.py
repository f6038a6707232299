"""The syntax tree of Simple C. Every place is the line and column, from 1, where a thing starts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from counterpoint.core.records import dataclass


@dataclass(frozen=True, slots=True)
class Position:
    line: int
    column: int


# ---------------------------------------------------------------- expressions: 32-bit values


@dataclass(frozen=True, slots=True)
class Number:
    """A literal; `value` is what is written, in range only after the check."""

    value: int
    at: Position


@dataclass(frozen=True, slots=True)
class Name:
    name: str
    at: Position


@dataclass(frozen=True, slots=True)
class Unary:
    """`operator` is one of + - ! ~"""

    operator: str
    operand: Expression
    at: Position


@dataclass(frozen=True, slots=True)
class Binary:
    """`operator` is one of || && | ^ & == != < <= > >= << >> + - * / %; `at` is its place."""

    operator: str
    left: Expression
    right: Expression
    at: Position


@dataclass(frozen=True, slots=True)
class Conditional:
    condition: Expression
    chosen: Expression
    other: Expression


Expression: TypeAlias = Number | Name | Unary | Binary | Conditional


def children(expression: Expression) -> tuple[Expression, ...]:
    match expression:
        case Unary(_, operand):
            return (operand,)
        case Binary(_, left, right):
            return (left, right)
        case Conditional(condition, chosen, other):
            return (condition, chosen, other)
    return ()


def children_first(expression: Expression) -> list[Expression]:
    """All parts, each after its own parts, from left to right; expressions are too deep for recursion."""
    found: list[Expression] = []
    waiting = [expression]
    while waiting:
        part = waiting.pop()
        found.append(part)
        waiting += children(part)
    found.reverse()
    return found


# ---------------------------------------------------------------- statements


@dataclass(frozen=True, slots=True)
class Block:
    """A scope; `end` is the place of its closing brace."""

    statements: tuple[Statement, ...]
    at: Position
    end: Position


@dataclass(frozen=True, slots=True)
class Declaration:
    """A variable that starts with an arbitrary value, or with that of `value`."""

    name: str
    value: Expression | None
    at: Position


@dataclass(frozen=True, slots=True)
class Assignment:
    name: str
    value: Expression
    at: Position


@dataclass(frozen=True, slots=True)
class Assertion:
    condition: Expression
    at: Position


@dataclass(frozen=True, slots=True)
class Assumption:
    condition: Expression
    at: Position


@dataclass(frozen=True, slots=True)
class Havoc:
    name: str
    at: Position
    name_at: Position


@dataclass(frozen=True, slots=True)
class If:
    condition: Expression
    then: Statement
    other: Statement | None
    at: Position


@dataclass(frozen=True, slots=True)
class Bound:
    """How often the paper's tool unwinds the loop; the verdict is about the whole program all the same."""

    count: Number
    at: Position


@dataclass(frozen=True, slots=True)
class Invariant:
    """Must hold whenever the loop's condition is about to be evaluated; `text` is as the user wrote it."""

    condition: Expression
    text: str
    at: Position


@dataclass(frozen=True, slots=True)
class Candidate:
    """May hold whenever the loop's condition is about to be evaluated."""

    condition: Expression
    at: Position


Annotation: TypeAlias = Bound | Invariant | Candidate


def annotated(annotation: Annotation) -> Expression:
    return annotation.count if isinstance(annotation, Bound) else annotation.condition


@dataclass(frozen=True, slots=True)
class While:
    condition: Expression
    annotations: tuple[Annotation, ...]
    body: Statement
    at: Position


Statement: TypeAlias = Block | Declaration | Assignment | Assertion | Assumption | Havoc | If | While


def expressions(statement: Statement) -> Iterator[Expression]:
    """Every expression of a statement and of those in it, annotations included, in the order of the text."""
    match statement:
        case Block(statements):
            for inner in statements:
                yield from expressions(inner)
        case Declaration(_, value):
            if value is not None:
                yield value
        case Assignment(_, value):
            yield value
        case Assertion(condition) | Assumption(condition):
            yield condition
        case If(condition, then, other):
            yield condition
            yield from expressions(then)
            if other is not None:
                yield from expressions(other)
        case While(condition, annotations, body):
            yield condition
            for annotation in annotations:
                yield annotated(annotation)
            yield from expressions(body)


@dataclass(frozen=True, slots=True)
class Parameter:
    name: str
    at: Position


@dataclass(frozen=True, slots=True)
class Procedure:
    """`at` is the place of its first word, `name_at` that of its name."""

    name: str
    parameters: tuple[Parameter, ...]
    body: Block
    at: Position
    name_at: Position
