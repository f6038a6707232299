"""The parts of a state that invariants talk about, named after the program alone.

A component's variable has its name and sort; a formula over such variables is an invariant that can be
stored as text. cutpoint.value_of says what each is in a state.

No two components have one name: those of functions and labels are plain (program/names.py), a plain name begins with no
digit and has none of `% & # [ ] ( )` and blanks in it, and a local's label ends with its object's number.
"""

from __future__ import annotations

from typing import TypeAlias

from counterpoint.core.records import dataclass
from counterpoint.program import model as m
from counterpoint.program.types import Type
from counterpoint.semantics.objects import sort_of
from counterpoint.term import build
from counterpoint.term.sorts import BOOL, ArraySort, BitVec, Sort
from counterpoint.term.term import Term


@dataclass(frozen=True, slots=True)
class RegisterValue:
    """A register of the function; pointers are addresses."""

    function: str
    register: m.Register

    @property
    def name(self) -> str:
        return f"{self.function}%{self.register.index}"

    def sort(self, pointer_bits: int) -> Sort:
        return sort_of(self.register.type)


@dataclass(frozen=True, slots=True)
class ResultValue:
    """What the function returns, at its exit."""

    function: str
    index: int
    type: Type

    @property
    def name(self) -> str:
        return f"{self.function}.result{self.index}"

    def sort(self, pointer_bits: int) -> Sort:
        return sort_of(self.type)


@dataclass(frozen=True, slots=True)
class Base:
    """The address of a single object."""

    thing: int
    label: str

    @property
    def name(self) -> str:
        return f"&{self.label}"

    def sort(self, pointer_bits: int) -> Sort:
        return BitVec(pointer_bits)


@dataclass(frozen=True, slots=True)
class Live:
    """Whether a single object exists: was made, and did not die."""

    thing: int
    label: str

    @property
    def name(self) -> str:
        return f"live {self.label}"

    def sort(self, pointer_bits: int) -> Sort:
        return BOOL


@dataclass(frozen=True, slots=True)
class Size:
    """The bytes of a single object, while it is live."""

    thing: int
    label: str

    @property
    def name(self) -> str:
        return f"size {self.label}"

    def sort(self, pointer_bits: int) -> Sort:
        return BitVec(pointer_bits)


@dataclass(frozen=True, slots=True)
class Cell:
    """`size` bytes at a fixed offset of a single object, as a bit-vector."""

    thing: int
    label: str
    offset: int
    size: int

    @property
    def name(self) -> str:
        return f"{self.label}[{self.offset}:{self.size}]"

    def sort(self, pointer_bits: int) -> Sort:
        return BitVec(8 * self.size)


@dataclass(frozen=True, slots=True)
class Elements:
    """All of a single object, as an array of elements of `granule` bytes; what lies beyond its size is arbitrary."""

    thing: int
    label: str
    granule: int

    @property
    def name(self) -> str:
        return f"{self.label}[*:{self.granule}]"

    def sort(self, pointer_bits: int) -> Sort:
        return ArraySort(pointer_bits, 8 * self.granule)


@dataclass(frozen=True, slots=True)
class SummaryElements:
    """The contents of all objects of a summary: an array over addresses divided by `granule`."""

    summary: int
    granule: int

    @property
    def name(self) -> str:
        return f"memory {self.summary}[*:{self.granule}]"

    def sort(self, pointer_bits: int) -> Sort:
        return ArraySort(pointer_bits, 8 * self.granule)


@dataclass(frozen=True, slots=True)
class SummaryLive:
    """Liveness of a summary's objects: array from base address to 1 (live) or 0, 8 bits."""

    summary: int

    @property
    def name(self) -> str:
        return f"live{self.summary}[*]"

    def sort(self, pointer_bits: int) -> Sort:
        return ArraySort(pointer_bits, 8)


@dataclass(frozen=True, slots=True)
class SummarySizes:
    """Sizes of a summary's live objects: array from base address to bytes."""

    summary: int

    @property
    def name(self) -> str:
        return f"size{self.summary}[*]"

    def sort(self, pointer_bits: int) -> Sort:
        return ArraySort(pointer_bits, pointer_bits)


@dataclass(frozen=True, slots=True)
class Old:
    """What a component was when the activation of its function began: fixed for the activation, as parameters are."""

    of: Cell | Elements | SummaryElements | SummaryLive | Counter

    @property
    def name(self) -> str:
        return f"old({self.of.name})"

    def sort(self, pointer_bits: int) -> Sort:
        return self.of.sort(pointer_bits)


@dataclass(frozen=True, slots=True)
class Counter:
    """An address above every object made so far."""

    @property
    def name(self) -> str:
        return "counter"

    def sort(self, pointer_bits: int) -> Sort:
        return BitVec(pointer_bits)


Component: TypeAlias = (
    RegisterValue
    | ResultValue
    | Base
    | Live
    | Size
    | Cell
    | Elements
    | SummaryElements
    | SummaryLive
    | SummarySizes
    | Counter
    | Old
)


def variable_of(component: Component, pointer_bits: int) -> Term:
    """The variable by which formulas mean the component."""
    return build.variable(component.name, component.sort(pointer_bits))
