"""Heap blocks that are never lost, and programs that can lose none.

A block is *held* where a place that runs pass once at most allocates it, and right behind that stores the pointer in a
static object that nothing else writes: of that object the program's text says nothing but this one store, and loads. So
no pointer leads there, and the block's address stays where it is until the run ends: it is reachable, wherever lost
memory is looked for. If all heap blocks of a program are held, checks for lost memory hold in all runs
(`without_lost`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from counterpoint.core.closure import components
from counterpoint.program.graph import (
    call_sites,
    loop_heads,
    reachable_functions,
    recursive_functions,
    successors,
)
from counterpoint.program.model import (
    LOST,
    Address,
    Allocate,
    Block,
    Call,
    Check,
    Compute,
    Constant,
    Function,
    Instruction,
    Load,
    NoLeak,
    Nondet,
    Offset,
    Program,
    Register,
    Store,
    Value,
)
from counterpoint.program.order import operands, terminator_operands
from counterpoint.program.types import TRUTH

_TRUE = Constant(1, TRUTH)


def may_lose(program: Program) -> bool:
    """Whether a run may make a heap block that is not held."""
    made = [
        (name, block, number)
        for name in reachable_functions(program)
        for block in program.functions[name].blocks
        for number, one in enumerate(block.instructions)
        if isinstance(one, Allocate) and one.heap
    ]
    if not made:
        return False
    holders = _holders(program)
    if not all(_is_held(block, number, holders) for _, block, number in made):
        return True
    once = _once(program)
    return any((name, block.index) not in once for name, block, _ in made)


def may_lose_without_end(program: Program) -> bool:
    """Whether a run without an end could lose memory where losing it is a violation.

    Lost memory is looked for where runs end, and at some places where they may be for ever (`NoLeak`). What a run
    has lost stays lost, so that all is found in programs of which each run ends.
    """
    counting = (site for site in program.checks if program.focus is None or site.index in program.focus)
    if not any(site.kind == LOST for site in counting):
        return False
    functions = [program.functions[name] for name in reachable_functions(program)]
    endless = any(loop_heads(function) for function in functions) or bool(recursive_functions(program))
    return endless and may_lose(program)


def without_lost(program: Program) -> Program:
    """The program without its checks for lost memory, if it can lose none."""
    lost = frozenset(site.index for site in program.checks if site.kind == LOST)
    if not lost or may_lose(program):
        return program
    functions = {name: _without(function, lost) for name, function in program.functions.items()}
    return replace(program, functions=functions)


def _once(program: Program) -> set[tuple[str, int]]:
    """The blocks that a run enters once at most: functions by name, with the numbers of the blocks."""
    found: set[tuple[str, int]] = set()
    calls, recursive = call_sites(program), recursive_functions(program)
    waiting = [program.entry] if not calls[program.entry] else []
    while waiting:
        function = program.functions[waiting.pop()]
        onwards = successors(function)
        for group in components(dict(enumerate(onwards))):
            if len(group) > 1 or group[0] in onwards[group[0]]:
                continue
            found.add((function.name, group[0]))
            called = [one.callee for one in function.blocks[group[0]].instructions if isinstance(one, Call)]
            waiting += [name for name in called if calls[name] == 1 and name not in recursive]
    return found


def _is_held(block: Block, number: int, holders: frozenset[str]) -> bool:
    """What the instruction of this number allocates is stored in a holder before anything else may happen."""
    made = block.instructions[number]
    assert isinstance(made, Allocate)
    for one in block.instructions[number + 1 :]:
        match one:
            case Store(Address(symbol, 0), Register(index)) if index == made.result.index:
                return symbol in holders
            case Compute() | Load() | Nondet() | Offset():
                continue
        return False
    return False


def _holders(program: Program) -> frozenset[str]:
    """The static objects that are written by one instruction, and are else only loaded from, by their names."""
    written, mentioned = Counter[str](), set[str]()
    for one in program.globals.values():
        mentioned |= {value.symbol for _, value in one.pieces if isinstance(value, Address)}
    for function in program.functions.values():
        for block in function.blocks:
            for instruction in block.instructions:
                mentioned |= set(_symbols(_values(instruction)))
                if isinstance(instruction, Store) and isinstance(instruction.address, Address):
                    written[instruction.address.symbol] += 1
            mentioned |= set(_symbols(terminator_operands(block.terminator)))
    once = {symbol for symbol, count in written.items() if count == 1} - mentioned
    width = program.layout.pointer_bits // 8
    known = (program.globals[symbol] for symbol in once)
    return frozenset(one.name for one in known if one.size >= width and not one.constant and not one.constant_parts)


def _values(instruction: Instruction) -> Sequence[Value]:
    """What it makes use of as a value: not a static object that it loads from or stores to."""
    match instruction:
        case Load(_, Address()):
            return ()
        case Store(Address(), value):
            return (value,)
    return operands(instruction)


def _symbols(values: Sequence[Value]) -> Iterator[str]:
    return (value.symbol for value in values if isinstance(value, Address))


def _without(function: Function, lost: frozenset[int]) -> Function:
    blocks = tuple(_kept(block, lost) for block in function.blocks)
    same = all(new is old for new, old in zip(blocks, function.blocks, strict=True))
    return function if same else replace(function, blocks=blocks)


def _kept(block: Block, lost: frozenset[int]) -> Block:
    unasked = {one.holds for one in block.instructions if isinstance(one, Check) and one.check in lost}
    if not unasked:
        return block
    made: list[Instruction] = []
    for one in block.instructions:
        match one:
            case Check(check=check) if check in lost:
                continue
            case NoLeak(result, _, at) if result in unasked:
                made.append(Compute(result, "or", (_TRUE, _TRUE), at))
            case _:
                made.append(one)
    return replace(block, instructions=tuple(made))
