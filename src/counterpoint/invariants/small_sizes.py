"""The program with small numbers in place of its large sizes, for runs from which facts about arrays are learned.

A loop of 100,000 rounds leaves runs no time for the loops behind it, and of a large array few cells are noted. With 13
in place of 100,000, in comparisons, as a factor and in the sizes of objects, places and components are the same, and
what was learned is about 100,000 once 13, or a number next to it, is put back. A guess like any other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from counterpoint.program import model as m
from counterpoint.program.rebuild import renamed, renamed_terminator
from counterpoint.term.rebuild import rebuild
from counterpoint.term.sorts import ArraySort, BitVec
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import reachable

LARGE = 100
"""The least number that is a large size."""

MOST = 3
"""Sizes of one program."""

SMALL = (13, 21, 29, 37, 45, 53, 61)
"""What stands for them, in their order: the first next to which the program has no number of its own, so that what is
put back was a size."""

NEAR = 3
"""Numbers so near to a size belong to it: the last index, one behind the end."""

ELEMENTS = (1, 2, 4, 8)
"""Bytes of elements of arrays that have such numbers."""

MOST_CELLS = 1 << 26
"""Of a matrix."""

_COMPARISONS = frozenset({"eq", "ne", "ult", "ule", "slt", "sle"})
_SUMS = frozenset({"add", "sub"})


def sizes(program: m.Program) -> dict[int, int]:
    """The large numbers that the program compares with, but for those next to others, each with a small one; empty if
    there are none, or too many."""
    found = sorted(
        operand.bits
        for function in program.functions.values()
        for block in function.blocks
        for i in block.instructions
        if isinstance(i, m.Compute) and i.operation in _COMPARISONS
        for operand in i.operands
        if isinstance(operand, m.Constant) and LARGE <= operand.bits < 1 << 24
    )
    chosen: list[int] = []
    for number in found:
        if not chosen or number - chosen[-1] > NEAR:
            chosen.append(number)
    own = {number for number in _numbers(program) if number < LARGE}
    free = [small for small in SMALL if not any(abs(small - number) <= NEAR for number in own)]
    small = [*free, *(one for one in SMALL if one not in free)]
    return dict(zip(chosen, small, strict=False)) if len(chosen) <= MOST else {}


def _numbers(program: m.Program) -> Iterator[int]:
    for function in program.functions.values():
        for block in function.blocks:
            for i in block.instructions:
                if isinstance(i, m.Compute | m.Store):
                    operands = i.operands if isinstance(i, m.Compute) else (i.value,)
                    yield from (operand.bits for operand in operands if isinstance(operand, m.Constant))


def with_small_sizes(program: m.Program, small: Mapping[int, int]) -> m.Program:
    """The program with those numbers, and the ones next to them, replaced; objects of so many parts are smaller."""
    functions = {name: _function(function, small) for name, function in program.functions.items()}
    globals_ = {name: _global(item, small) for name, item in program.globals.items()}
    return replace(program, functions=functions, globals=globals_)


def _function(function: m.Function, small: Mapping[int, int]) -> m.Function:
    def next_to(value: m.Value) -> m.Value:
        return replace(value, bits=near(value.bits, small)) if isinstance(value, m.Constant) else value

    def parts(value: m.Value) -> m.Value:
        return replace(value, bits=_size(value.bits, small)) if isinstance(value, m.Constant) else value

    def changed(instruction: m.Instruction) -> m.Instruction:
        match instruction:
            case m.Compute(operation=operation) if operation in _COMPARISONS | _SUMS:
                return renamed(instruction, next_to, lambda register: register)
            case m.Compute(operation="mul"):  # rows of so many columns
                return renamed(instruction, parts, lambda register: register)
            case m.Allocate(size=size) | m.Havoc(size=size) | m.Fill(size=size) | m.Copy(size=size):
                return replace(instruction, size=parts(size))
        return instruction

    blocks = tuple(
        replace(
            block,
            instructions=tuple(changed(i) for i in block.instructions),
            terminator=renamed_terminator(block.terminator, next_to),
        )
        for block in function.blocks
    )
    return replace(function, blocks=blocks)


def _global(item: m.Global, small: Mapping[int, int]) -> m.Global:
    size = _size(item.size, small)
    return item if item.pieces or item.constant_parts else replace(item, size=size)


def near(number: int, small: Mapping[int, int]) -> int:
    """What stands for the number: it is a size, or next to one; else itself."""
    return next((to + number - size for size, to in small.items() if abs(number - size) <= NEAR), number)


def _size(number: int, small: Mapping[int, int]) -> int:
    """Of an object: smaller if it has a size's number of parts, which may be rows of another's, or as many, columns; or
    a number of elements next to it."""
    for size in sorted(small, reverse=True):
        if number and number % size == 0:
            rest = number // size
            inner = next((other for other in sorted(small, reverse=True) if rest % other == 0), None)
            return small[size] * (rest if inner is None else rest // inner * small[inner])
    beside = ((size + d, to + d) for size, to in small.items() for d in (1, -1, 2, -2, 3, -3))
    return next((number // one * to for one, to in beside if number in (one * e for e in ELEMENTS)), number)


def products(small: Mapping[int, int]) -> dict[int, int]:
    """The numbers of cells of matrices with such sizes, each with what stands for it."""
    pairs = [(one, other) for one in small for other in small if one <= other and one * other < MOST_CELLS]
    return {one * other: small[one] * small[other] for one, other in pairs}


def put_back(formula: V, small: Mapping[int, int]) -> V:
    """The formula about the program as it is; numbers that are too wide for where they would be stay small."""
    done: dict[V, V] = {}
    back = {to: size for size, to in products(small).items()}
    back |= {to + d: size + d for size, to in small.items() for d in range(-NEAR, NEAR + 1)}
    for term in reachable((formula,)):
        args: list[V] = []
        for place, arg in enumerate(term.args):
            number = back.get(arg, arg) if isinstance(arg, int) else arg
            fits = isinstance(number, int) and number < 1 << _width(term, place)
            args.append(done[arg] if isinstance(arg, Term) else number if fits else arg)
        done[term] = rebuild(term, args) if args != list(term.args) else term
    return done[formula] if isinstance(formula, Term) else formula


def _width(term: Term, place: int) -> int:
    """Of the argument at the place, in bits; 0 where that is not told by the others or the term."""
    array = term.args[0].sort if isinstance(term.args[0], Term) else None
    if isinstance(array, ArraySort) and term.op in (Op.SELECT, Op.STORE):
        return array.index if place == 1 else array.element
    if term.op in (Op.EQ, Op.ULT, Op.SLT):
        return term.payload if isinstance(term.payload, int) else 0
    plain = term.op not in (Op.CONCAT, Op.EXTRACT, Op.ZEXT, Op.SEXT)
    return term.sort.width if plain and isinstance(term.sort, BitVec) else 0
