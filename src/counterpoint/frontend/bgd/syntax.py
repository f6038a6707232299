"""The syntax tree of a block graph. Every place is the line and column, from 1, where a thing starts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from counterpoint.core.records import dataclass


@dataclass(frozen=True, slots=True)
class Position:
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Type:
    """`iN`, or `ptr` with 0 bits: its width is the target's."""

    bits: int

    def __str__(self) -> str:
        return f"i{self.bits}" if self.bits else "ptr"


POINTER = Type(0)
TRUTH = Type(1)

# ---------------------------------------------------------------- values


@dataclass(frozen=True, slots=True)
class Number:
    """A literal; `text` are its digits, hexadecimal in a value and decimal in a width or count."""

    text: str
    at: Position

    @property
    def value(self) -> int:
        return int(self.text, 16)


@dataclass(frozen=True, slots=True)
class Local:
    """`%name`: a variable or a block; `name` are digits."""

    name: str
    at: Position

    def __str__(self) -> str:
        return f"%{self.name}"


@dataclass(frozen=True, slots=True)
class Object:
    """`@name`: the address of a global."""

    name: str
    at: Position

    def __str__(self) -> str:
        return f"@{self.name}"


Variable: TypeAlias = Local | Object
Value: TypeAlias = Number | Variable

# ---------------------------------------------------------------- right-hand sides


@dataclass(frozen=True, slots=True)
class Same:
    value: Value


@dataclass(frozen=True, slots=True)
class Binary:
    """`operator` as written; `at` is its place."""

    operator: str
    left: Value
    right: Value
    at: Position


@dataclass(frozen=True, slots=True)
class Conversion:
    """`width` repeats the width of the definition's type; None for pointers, or where it is left out."""

    operator: str
    value: Value
    width: Number | None
    at: Position


@dataclass(frozen=True, slots=True)
class Load:
    address: Variable


@dataclass(frozen=True, slots=True)
class Phi:
    """(value, predecessor) pairs."""

    sources: tuple[tuple[Value, Local], ...]
    at: Position


@dataclass(frozen=True, slots=True)
class Select:
    condition: Value
    chosen: Value
    other: Value


@dataclass(frozen=True, slots=True)
class Offset:
    """`base` plus `offset` bytes (signed); the result belongs to the object of `base`."""

    base: Value
    offset: Value


@dataclass(frozen=True, slots=True)
class Input:
    pass


Rvalue: TypeAlias = Same | Binary | Conversion | Load | Phi | Select | Offset | Input


def operands(rvalue: Rvalue) -> tuple[Value, ...]:
    """The values that a right-hand side reads where it stands; a phi reads its own on the edges."""
    match rvalue:
        case Same(value) | Conversion(_, value) | Load(value):
            return (value,)
        case Binary(_, left, right) | Offset(left, right):
            return (left, right)
        case Select(condition, chosen, other):
            return (condition, chosen, other)
        case Phi() | Input():
            return ()


# ---------------------------------------------------------------- statements


@dataclass(frozen=True, slots=True)
class Extent:
    """`count` values of a type, one after the other; a scalar has count None."""

    type: Type
    count: int | None = None


@dataclass(frozen=True, slots=True)
class Definition:
    type: Type
    target: Variable
    value: Rvalue
    at: Position


@dataclass(frozen=True, slots=True)
class Store:
    value: Value
    address: Variable
    at: Position


@dataclass(frozen=True, slots=True)
class AssertFail:
    at: Position


@dataclass(frozen=True, slots=True)
class Alloca:
    """`extent` None: the file does not say (the thesis's format has no word for it)."""

    target: Local
    extent: Extent | None
    at: Position


@dataclass(frozen=True, slots=True)
class Bytes:
    """`copy target source size`, `fill target byte size` or `havoc target size`."""

    operator: str
    operands: tuple[Value, ...]
    at: Position


Statement: TypeAlias = Definition | Store | AssertFail | Alloca | Bytes


def read_by(statement: Statement) -> tuple[Value, ...]:
    """The values that the statement reads where it stands."""
    match statement:
        case Definition(value=value):
            return operands(value)
        case Store(value, address):
            return (value, address)
        case Bytes(operands=values):
            return values
        case AssertFail() | Alloca():
            return ()


# ---------------------------------------------------------------- control flow


@dataclass(frozen=True, slots=True)
class Return:
    value: Value | None
    at: Position


@dataclass(frozen=True, slots=True)
class Branch:
    condition: Value
    then: Local
    other: Local
    at: Position


@dataclass(frozen=True, slots=True)
class Goto:
    target: Local
    at: Position


@dataclass(frozen=True, slots=True)
class Unreachable:
    at: Position


Terminator: TypeAlias = Return | Branch | Goto | Unreachable


@dataclass(frozen=True, slots=True)
class Block:
    name: Local
    statements: tuple[Statement, ...]
    terminator: Terminator
    at: Position

    @property
    def targets(self) -> tuple[Local, ...]:
        match self.terminator:
            case Branch(_, then, other):
                return (then, other)
            case Goto(target):
                return (target,)
        return ()

    def phis(self) -> Iterator[tuple[Definition, Phi]]:
        for statement in self.statements:
            match statement:
                case Definition(value=Phi() as phi):
                    yield statement, phi


# ---------------------------------------------------------------- the file


@dataclass(frozen=True, slots=True)
class Piece:
    """What a global holds at first, `offset` bytes from its start: a number, or an address plus bytes."""

    offset: int
    type: Type
    value: Number | Object
    displacement: int
    at: Position


@dataclass(frozen=True, slots=True)
class Global:
    """Bytes that no piece covers are zero at first."""

    target: Object
    extent: Extent
    pieces: tuple[Piece, ...]
    constant: bool
    at: Position


@dataclass(frozen=True, slots=True)
class Graph:
    """A program; runs start at the first block."""

    globals: tuple[Global, ...]
    blocks: tuple[Block, ...]

    def edges(self) -> tuple[tuple[str, str], ...]:
        """The control flow edges as pairs of block names: the abstraction before any refinement."""
        return tuple((block.name.name, target.name) for block in self.blocks for target in block.targets)
