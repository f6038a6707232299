"""Which input has few values that decide much: a length, a size, a count, whose cases are simple each.

A guess: any choice is as good for the truth (program/cases.py), not for how hard the program is.
"""

from __future__ import annotations

from collections.abc import Iterator

from counterpoint.core.records import dataclass
from counterpoint.program.cases import Place, split_by_value
from counterpoint.program.graph import Loop, loops, postorder, recursive_functions, successors
from counterpoint.program.model import (
    Allocate,
    Assume,
    Branch,
    Compute,
    Constant,
    Copy,
    Edge,
    Fill,
    Function,
    Nondet,
    Offset,
    Program,
    Register,
    Value,
)
from counterpoint.program.order import operands
from counterpoint.program.types import IntType
from counterpoint.semantics import evaluate
from counterpoint.semantics.ints import Ints

FEW = 33
"""Values up to which an input is split."""

SMALL = 64
"""Values are looked for up to this distance from zero."""

LARGEST_PROGRAM = 3_000
"""Instructions up to which a program is looked at."""

LARGEST_RESULT = 20_000
"""Instructions up to which it may grow."""

MOST_INPUTS = 16
"""Inputs that are looked at, in the order of the program."""


MOST_WORK = 200_000
"""Instructions that constants are propagated through, of all inputs together: about a second."""


@dataclass(slots=True)
class _Work:
    left: int


class _TooMuch(Exception):
    """The work is used up."""


@dataclass(frozen=True, slots=True)
class Cases:
    """The values that `register` may have at `place`, as far as the text tells."""

    place: Place
    register: Register
    values: tuple[int, ...]


def split_cases(program: Program) -> Program | None:
    """The program with a case for each value of its first input that is worth it; None if there is none."""
    cases = cases_of(program)
    return None if cases is None else split_by_value(program, cases.place, cases.register, cases.values)


def cases_of(program: Program) -> Cases | None:
    """Of the first input of the entry function that has few values and decides how large or long something is."""
    function = program.main
    size = sum(len(block.instructions) for block in function.blocks)
    if size > LARGEST_PROGRAM or program.entry in recursive_functions(program):
        return None
    try:
        return _first(function, size)
    except _TooMuch:
        return None


def _first(function: Function, size: int) -> Cases | None:
    """Raises _TooMuch."""
    all_loops = loops(function)
    inside = {block for loop in all_loops for block in loop.blocks}
    looked, work = 0, _Work(MOST_WORK)
    for block in function.blocks:
        for instruction in block.instructions if block.index not in inside else ():
            if not isinstance(instruction, Nondet) or not isinstance(instruction.result.type, IntType):
                continue
            if instruction.result.type.bits == 1 or not _decides(function, all_loops, instruction.result):
                continue
            looked += 1
            found = _few_values(function, inside, instruction.result, work)
            if found is not None and len(found.values) * size <= LARGEST_RESULT:
                return found
            if looked == MOST_INPUTS:
                return None
    return None


# ---------------------------------------------------------------- what an input decides


def _decides(function: Function, all_loops: tuple[Loop, ...], register: Register) -> bool:
    """Whether the register flows, not through memory, into the size of a block, or what makes a loop end."""
    flows = _flows(function, register)

    def mine(*values: Value | None) -> bool:
        return any(isinstance(value, Register) and value.index in flows for value in values)

    for block in function.blocks:
        for instruction in block.instructions:
            match instruction:
                case Allocate(size=size) | Copy(size=size) | Fill(size=size) if mine(size):
                    return True
    return any(
        mine(edge.guard.value)
        for loop in all_loops
        for index in loop.blocks
        for edge in function.blocks[index].edges
        if edge.target not in loop.blocks
    )


def _flows(function: Function, register: Register) -> set[int]:
    """Registers that are computed from this one."""
    steps = list(_steps(function))
    flows, before = {register.index}, 0
    while before != len(flows):
        before = len(flows)
        flows.update(result for result, values in steps if _any_of(flows, values))
    return flows


def _steps(function: Function) -> Iterator[tuple[int, tuple[Value, ...]]]:
    """Registers, each with values that it is made of."""
    for block in function.blocks:
        for instruction in block.instructions:
            if isinstance(instruction, Compute | Offset):
                yield instruction.result.index, operands(instruction)
        for edge in block.edges:
            for parameter, value in zip(function.blocks[edge.target].parameters, edge.arguments, strict=True):
                yield parameter.index, (value,)


def _any_of(indices: set[int], values: tuple[Value, ...]) -> bool:
    return any(isinstance(value, Register) and value.index in indices for value in values)


# ---------------------------------------------------------------- which values it has


def _few_values(function: Function, inside: set[int], register: Register, work: _Work) -> Cases | None:
    """At the first place, behind an assumption or a branch about it, where it has few values. Raises _TooMuch."""
    bits = register.type.bits
    top = 1 << bits
    near = list(dict.fromkeys(value % top for value in (*range(SMALL + 1), *range(-8, 0))))
    far = [value % top for shift in range(7, bits) for value in ((1 << shift), (1 << shift) + 1, -(1 << shift))]
    far = [value for value in far if value not in near]
    places = list(_places(function, inside, register)) if far else []
    for value in far:
        if not places:
            return None
        reached = _Propagation(function, register, value, work).reached()
        places = [place for place in places if place not in reached]
    reached_near = [(value, _Propagation(function, register, value, work).reached()) for value in near if places]
    for place in places:
        values = tuple(value for value, reached in reached_near if place in reached)
        if 2 <= len(values) <= FEW:
            return Cases(place, register, values)
    return None


def _places(function: Function, inside: set[int], register: Register) -> Iterator[Place]:
    """Behind each assumption, and where each block begins, outside of loops, in the order of the program, from where
    the register is defined on."""
    order = [index for index in reversed(postorder(successors(function), 0)) if index not in inside]
    defined = False
    for index in order:
        if defined:
            yield Place(index, 0)
        for position, instruction in enumerate(function.blocks[index].instructions):
            defined = defined or getattr(instruction, "result", None) == register
            if defined and isinstance(instruction, Assume):
                yield Place(index, position + 1)


UNKNOWN = None
"""Of a register's value, where it is not one constant."""


class _Propagation:
    """Constants along the edges that they leave open [Wegman and Zadeck, 1991], with one input's value given."""

    def __init__(self, function: Function, register: Register, value: int, work: _Work) -> None:
        self.function, self.work = function, work
        self.given = register.index, value
        self.known: dict[int, int | None] = {}
        self.places: set[Place] = set()
        self.changes = 0

    def reached(self) -> set[Place]:
        """Places that may be reached. Raises _TooMuch."""
        waiting = [0]
        seen: set[int] = set()
        while waiting:
            index = waiting.pop()
            before = self.changes
            again = index not in seen
            seen.add(index)
            leaves = list(self._leaves(index))
            again = again or self.changes != before
            waiting += [edge.target for edge in leaves if self._pass(edge) or again]
        return self.places

    def _leaves(self, index: int) -> Iterator[Edge]:
        """The edges that may be taken behind the block."""
        block = self.function.blocks[index]
        self.work.left -= 1 + len(block.instructions)
        if self.work.left < 0:
            raise _TooMuch
        self.places.add(Place(index, 0))
        for position, instruction in enumerate(block.instructions):
            match instruction:
                case Compute(result, _, values):
                    arguments = [self._value(value) for value in values]
                    known = [value for value in arguments if value is not None]
                    constant = len(known) == len(arguments) and all(isinstance(v.type, IntType) for v in values)
                    self._set(result.index, evaluate(instruction, known, Ints()) if constant else UNKNOWN)
                case Assume(condition):
                    if self._value(condition) == 0:
                        return
                    self.places.add(Place(index, position + 1))
        if not isinstance(block.terminator, Branch):
            return
        for edge in block.terminator.edges:
            guard = edge.guard
            value = None if guard.value is None else self._value(guard.value)
            if value is None or (value in guard.cases) != guard.negated:
                yield edge

    def _value(self, value: Value) -> int | None:
        if isinstance(value, Constant):
            return value.bits
        if isinstance(value, Register):
            return self.given[1] if value.index == self.given[0] else self.known.get(value.index, UNKNOWN)
        return UNKNOWN

    def _pass(self, edge: Edge) -> bool:
        """Joins the arguments with what the parameters are known to be; whether that changed anything."""
        changed = False
        values = [self._value(value) for value in edge.arguments]
        for parameter, value in zip(self.function.blocks[edge.target].parameters, values, strict=True):
            index = parameter.index
            joined = value if index not in self.known or self.known[index] == value else UNKNOWN
            changed = self._set(index, joined) or changed
        return changed

    def _set(self, index: int, value: int | None) -> bool:
        """Whether it was not known so before."""
        if index in self.known and self.known[index] == value:
            return False
        self.known[index] = value
        self.changes += 1
        return True
