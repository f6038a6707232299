"""A program that ends where something has no meaning: what is proved of it holds of the program up to there.

Formulas have no value for some constructs (semantics/objects.BeyondModel), and what is kept across a loop or call is an
abstraction that some pointers do not fit (semantics/strays.py). At such a *spot* the runs of the program `cut_off` end,
silently. Let a check be none that a way through the program leads to from a spot (`behind`). A run that gets to it has
passed no spot: up to there it is a run of the program that is cut off, where its check fails as well. So a proof of
that program says of such checks what a proof of the whole program says.

In the same way runs of the program `up_to` some checks end where none of them can come any more.

What is lost in runs without an end is behind all spots, as it is told of no place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from counterpoint.core.closure import reached
from counterpoint.core.records import dataclass
from counterpoint.program.graph import (
    callees,
    contract_functions,
    loop_heads,
    predecessors,
    reachable_functions,
    successors,
)
from counterpoint.program.model import (
    ALWAYS,
    LOST,
    Assume,
    Block,
    Branch,
    Call,
    Check,
    Constant,
    Edge,
    Function,
    Instruction,
    Program,
    Stop,
)
from counterpoint.program.types import TRUTH

_NEVER: Final = Assume(Constant(0, TRUTH))


@dataclass(frozen=True, slots=True)
class Spot:
    """In front of an instruction of a block, or behind all of them; on the edges to the block `target` alone, if it has
    one. Blocks and instructions are counted, in the program of one preparation."""

    function: str
    block: int
    position: int
    target: int = -1


def cut_off(program: Program, spots: Iterable[Spot]) -> Program:
    """The program whose runs end at the spots. Its blocks are numbered as before, with new ones behind them."""
    functions = dict(program.functions)
    for name in sorted({spot.function for spot in spots}):
        functions[name] = _cut(functions[name], [spot for spot in spots if spot.function == name])
    return replace(program, functions=functions)


def _cut(function: Function, spots: Iterable[Spot]) -> Function:
    blocks = list(function.blocks)
    for index in sorted({spot.block for spot in spots}):
        mine = [spot for spot in spots if spot.block == index]
        blocks[index] = _without_edges(blocks[index], {one.target for one in mine if one.target >= 0}, blocks)
        before = [one.position for one in mine if one.target < 0]
        if before:
            block, first = blocks[index], min(before)
            instructions = (*block.instructions[:first], _NEVER, *block.instructions[first:])
            blocks[index] = replace(block, instructions=instructions)
    return replace(function, blocks=tuple(blocks))


def _without_edges(block: Block, targets: set[int], blocks: list[Block]) -> Block:
    """The block with a new one on its edges to the targets, in which runs end."""
    if not targets or not isinstance(block.terminator, Branch):
        return block
    edges: list[Edge] = []
    for edge in block.terminator.edges:
        if edge.target not in targets:
            edges.append(edge)
            continue
        here = len(blocks)
        onwards = Branch((Edge(ALWAYS, edge.target, edge.arguments),), block.terminator.at)
        blocks.append(Block(here, f"{block.name}.cut{here}", (), (_NEVER,), onwards))
        edges.append(Edge(edge.guard, here))
    return replace(block, terminator=replace(block.terminator, edges=tuple(edges)))


def up_to(program: Program, checks: frozenset[int]) -> Program:
    """The program whose entry function has nothing of what comes behind these checks, which all stand in it. Its blocks
    are numbered as before; those that are left out have no instructions, and no edges."""
    function = program.main
    last = {block.index: _last(block, checks) for block in function.blocks}
    back = predecessors(function)
    live: set[int] = set()
    for index in (index for index, found in last.items() if found):
        live |= {one for before in back[index] for one in reached(before, back.__getitem__)}
    blocks = (b if b.index in live else _ended(b, last[b.index]) for b in function.blocks)
    functions = {**program.functions, function.name: replace(function, blocks=tuple(blocks))}
    return replace(program, functions=functions)


def _last(block: Block, checks: frozenset[int]) -> int:
    """How many instructions there are up to the last of the checks in the block; 0 if there is none."""
    found = (n for n, one in enumerate(block.instructions, 1) if isinstance(one, Check) and one.check in checks)
    return max(found, default=0)


def _ended(block: Block, length: int) -> Block:
    return replace(block, instructions=(*block.instructions[:length], _NEVER), terminator=Stop())


def first_loops(program: Program) -> frozenset[Spot]:
    """In the entry function: on the edges into loops, and in front of calls that go by contract."""
    function, found = program.main, set[Spot]()
    heads, contracts = frozenset(loop_heads(function)), contract_functions(program)
    for block in function.blocks:
        for number, one in enumerate(block.instructions):
            if isinstance(one, Call) and one.callee in contracts:
                found.add(Spot(function.name, block.index, number))
        here = len(block.instructions)
        found |= {Spot(function.name, block.index, here, e.target) for e in block.edges if e.target in heads}
    return frozenset(found)


def behind(program: Program, spots: Iterable[Spot]) -> frozenset[int]:
    """The checks that runs may get to from a spot. Linear in the program."""
    by_function: dict[str, list[Spot]] = {}
    for spot in spots:
        by_function.setdefault(spot.function, []).append(spot)
    if not by_function:
        return frozenset()
    found = {site.index for site in program.checks if site.kind == LOST}
    passing = _passing(program, frozenset(by_function))
    called: set[str] = set()
    for name in reachable_functions(program):
        function = program.functions[name]
        starts = [*by_function.get(name, ()), *_behind_calls(function, passing)]
        for instruction in _instructions_behind(function, starts):
            if isinstance(instruction, Check):
                found.add(instruction.check)
            elif isinstance(instruction, Call):
                called.add(instruction.callee)
    for name in _below(program, called):
        instructions = (one for block in program.functions[name].blocks for one in block.instructions)
        found |= {one.check for one in instructions if isinstance(one, Check)}
    return frozenset(found)


def _passing(program: Program, cut: frozenset[str]) -> frozenset[str]:
    """The functions a call of which may pass a spot."""
    return frozenset(name for name in program.functions if cut & _below(program, [name]))


def _below(program: Program, names: Iterable[str]) -> set[str]:
    """These functions, and those that they call, directly or not."""
    found: set[str] = set()
    for name in names:
        found |= reached(name, lambda one: callees(program.functions[one]))
    return found


def _behind_calls(function: Function, passing: frozenset[str]) -> Iterator[Spot]:
    for block in function.blocks:
        for number, one in enumerate(block.instructions):
            if isinstance(one, Call) and one.callee in passing:
                yield Spot(function.name, block.index, number + 1)


def _instructions_behind(function: Function, starts: Iterable[Spot]) -> Iterator[Instruction]:
    """Those that runs of the function may get to from there."""
    onwards = successors(function)
    whole: set[int] = set()
    parts: dict[int, int] = {}
    for spot in starts:
        if spot.target >= 0:
            whole |= reached(spot.target, onwards.__getitem__)
            continue
        parts[spot.block] = min(spot.position, parts.get(spot.block, spot.position))
        for target in onwards[spot.block]:
            whole |= reached(target, onwards.__getitem__)
    for index in whole | parts.keys():
        yield from function.blocks[index].instructions[0 if index in whole else parts[index] :]
