"""One program, some of its checks: what the others ask for is assumed.

A run that violates another check ends there, silently, so that a proof of the focus is about all runs up to the first
violation of the whole property. Focuses compose: let S and T be sets of checks whose union are all of them, the program
focused on S proved and the program focused on T proved. Suppose that a run violates a check; the first one that it
violates is in S, say. Up to there the run violates nothing, so it is a run of the program focused on S as well, and
violates S there: a contradiction. A violation that is found on a focus is the first one of its run, for the same
reason. Sites without a meaning stay what they are in every focus.

Lost memory is one check, wherever it is looked for: in runs without an end it may be lost though none of these places
is ever reached (program/held.may_lose_without_end). Where it does not count it is not assumed either, but not asked
for, as if it were no part of the property: a run that lost memory goes on, so that a proof is about more runs than the
argument above needs, and needs no formula for what is reachable. A violation on such a run may be behind a loss.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from counterpoint.core.source import CheckSite
from counterpoint.program.graph import reachable_functions
from counterpoint.program.held import may_lose_without_end
from counterpoint.program.model import (
    LOST,
    Assume,
    Block,
    Check,
    Compute,
    Constant,
    Function,
    Instruction,
    NoLeak,
    Program,
)
from counterpoint.program.types import TRUTH

_TRUE = Constant(1, TRUTH)


def focused(program: Program, checks: frozenset[int]) -> Program:
    """The program in which only these checks (indices into Program.checks) count, the others being assumptions.

    `checks` are all checks for lost memory or none of them: `closed` sees to it.
    """
    assert checks == closed(checks, program.checks)
    lost = lost_among(program.checks)
    functions = {name: _focused(function, checks, lost) for name, function in program.functions.items()}
    return replace(program, functions=functions, focus=checks)


def outermost(program: Program) -> Program:
    """The program in which only what stands in its entry function counts, but for lost memory: a proof of it says of
    the entry function's code alone that no check fails there, of runs on which none fails elsewhere before."""
    lost = lost_among(program.checks)
    functions = {
        name: function if name == program.entry else _focused(function, lost, lost)
        for name, function in program.functions.items()
    }
    return replace(program, functions=functions)


def closed(checks: Iterable[int], table: tuple[CheckSite, ...]) -> frozenset[int]:
    """These checks of the table; all checks for lost memory, if one of them is among them."""
    lost, wanted = lost_among(table), frozenset(checks)
    return wanted | lost if wanted & lost else wanted


def lost_among(table: tuple[CheckSite, ...]) -> frozenset[int]:
    """The checks for lost memory."""
    return frozenset(site.index for site in table if site.kind == LOST)


def asked(program: Program) -> frozenset[int]:
    """The checks that stand where a run might be: all others hold, since none can be reached."""
    return frozenset(
        instruction.check
        for name in reachable_functions(program)
        for block in program.functions[name].blocks
        for instruction in block.instructions
        if isinstance(instruction, Check)
    )


def proved_without(focus: frozenset[int], open_: frozenset[int], program: Program) -> frozenset[int]:
    """What a proof by invariants says of the focus where these checks stay open: lost memory is one check."""
    lost = lost_among(program.checks)
    unsaid = lost if lost & open_ or may_lose_without_end(program) else frozenset()
    return focus - open_ - unsaid


def _focused(function: Function, checks: frozenset[int], lost: frozenset[int]) -> Function:
    blocks = tuple(_block(block, checks, lost) for block in function.blocks)
    same = all(new is old for new, old in zip(blocks, function.blocks, strict=True))
    return function if same else replace(function, blocks=blocks)


def _block(block: Block, checks: frozenset[int], lost: frozenset[int]) -> Block:
    others = [i for i in block.instructions if isinstance(i, Check) and i.check not in checks]
    if not others:
        return block
    unasked = {i.holds for i in others if i.check in lost}
    made: list[Instruction] = []
    for instruction in block.instructions:
        match instruction:
            case Check(holds, check, at) if check not in checks:
                if check not in lost:
                    made.append(Assume(holds, at))
            case NoLeak(result, _, at) if result in unasked:
                made.append(Compute(result, "or", (_TRUE, _TRUE), at))
            case _:
                made.append(instruction)
    return replace(block, instructions=tuple(made))
