"""Blocks of one statement each, from Program to Program.

The control-flow automata of SLAM and BLAST (Henzinger, Jhala, Majumdar and McMillan, "Abstractions from Proofs",
POPL 2004, section 3) have one statement on each edge. A place at every block (regions/locations.py) of the program
made here is that single-block encoding.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import accumulate

from counterpoint.core.source import SourceLocation
from counterpoint.program.model import (
    ALWAYS,
    Allocate,
    BeginLife,
    Block,
    Branch,
    Compute,
    Edge,
    EndLife,
    Function,
    Hint,
    Instruction,
    Program,
    Register,
    Terminator,
    Value,
)
from counterpoint.program.order import operands, terminator_operands
from counterpoint.program.rebuild import renamed_terminator


def split_statements(program: Program) -> Program:
    """Splits blocks where the line of the source changes; registers, sites and checks are as before.

    A line of an inlined body is one of its own for each call. Hints, the lives of locals, values that nothing uses,
    jumps without a condition, returns, and what the compiler gave no line to stay with the statement before them.

    Lines are not quite statements: those in one line that are executed in a row make one block, and one in several
    lines makes several. A variable assigned to another one is no instruction in SSA form, so there is no block for
    it either. Linear in the program, but for comparing places in bodies inside bodies.
    """
    return replace(program, functions={name: _split(function) for name, function in program.functions.items()})


def _split(function: Function) -> Function:
    """Block k becomes as many blocks in a row as it has statements; edges lead to the first of them."""
    used = _used(function)
    statements = [list(_statements(block, used)) for block in function.blocks]
    first = list(accumulate(map(len, statements), initial=0))
    if first[-1] == len(function.blocks):
        return function
    blocks: list[Block] = []
    for block, parts in zip(function.blocks, statements, strict=True):
        blocks.append(replace(block, index=len(blocks), instructions=parts[0]))
        for count, part in enumerate(parts[1:], 1):
            end = Branch((Edge(ALWAYS, len(blocks)),), _at(part, block.terminator))
            blocks[-1] = replace(blocks[-1], terminator=end)
            blocks.append(Block(len(blocks), f"{block.name}.{count}", (), part, block.terminator))
        last = renamed_terminator(block.terminator, lambda value: value, first.__getitem__)
        blocks[-1] = replace(blocks[-1], terminator=last)
    return replace(function, blocks=tuple(blocks))


def _used(function: Function) -> frozenset[int]:
    """The registers that something reads."""
    read: list[Value] = []
    for block in function.blocks:
        for instruction in block.instructions:
            read.extend(operands(instruction))
        read.extend(terminator_operands(block.terminator))
    return frozenset([value.index for value in read if isinstance(value, Register)])


def _statements(block: Block, used: frozenset[int]) -> Iterator[tuple[Instruction, ...]]:
    """The block's instructions in one or more parts; the last is empty where only the branch is left."""
    part: list[Instruction] = []
    current: SourceLocation | None = None
    for instruction in block.instructions:
        at = instruction.at
        if at.line and not _within(instruction, used):
            if current is not None and not _same_statement(current, at):
                yield tuple(part)
                part = []
            current = at
        part.append(instruction)
    end = block.terminator
    if current is not None and len(block.edges) > 1 and end.at.line and not _same_statement(current, end.at):
        yield tuple(part)
        part = []
    yield tuple(part)


def _within(instruction: Instruction, used: frozenset[int]) -> bool:
    """Whether it is part of another statement, whatever its line is."""
    match instruction:
        case Hint() | BeginLife() | EndLife():
            return True
        case Allocate(heap=heap):
            return not heap
        case Compute(result):
            return result.index not in used
    return False


def _same_statement(one: SourceLocation, other: SourceLocation) -> bool:
    """Whether file, line and the calls around them are the same."""
    if one is other:
        return True
    return one.line == other.line and one.file == other.file and _same_call(one.inlined_at, other.inlined_at)


def _same_call(one: SourceLocation | None, other: SourceLocation | None) -> bool:
    while one is not other:
        if one is None or other is None:
            return False
        if (one.line, one.column, one.file, one.function) != (other.line, other.column, other.file, other.function):
            return False
        one, other = one.inlined_at, other.inlined_at
    return True


def _at(part: tuple[Instruction, ...], end: Terminator) -> SourceLocation:
    """Where a part of a block starts."""
    return part[0].at if part else end.at
