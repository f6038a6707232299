"""Checks in small functions, told apart by who calls these: `free`, and what only hands on to it, has one check for all
blocks that are freed, and what fails there for one caller says nothing of another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final, TypeAlias

from counterpoint.core.records import dataclass
from counterpoint.core.source import CheckSite, SourceLocation
from counterpoint.entries.environment import CALLER
from counterpoint.program.inline import inline, size
from counterpoint.program.model import Check, Function, Instruction, Program
from counterpoint.program.names import original

SMALL: Final = 60
"""Instructions below which a function is put in the places of its calls."""

MOST: Final = 1_000_000
"""Instructions of a function with them."""

Calls: TypeAlias = tuple[tuple[str, int], ...]
"""File and line of calls, the innermost first."""


@dataclass(frozen=True, slots=True)
class Apart:
    """The `program` does what another one does, of which the `origin` of each of its checks is one."""

    program: Program
    origin: tuple[int, ...]


def apart(program: Program, name: str) -> Apart:
    """Small functions but that one in the places of their calls, with a check for each."""

    def chosen(function: Function) -> bool:
        return size(function) < SMALL and original(function.name) != name

    copies = inline(program, chosen, MOST)
    checks, origin = list(program.checks), list(range(len(program.checks)))
    known: dict[tuple[int, SourceLocation], int] = {}

    def numbered(instruction: Instruction) -> Instruction:
        if not isinstance(instruction, Check) or instruction.at.inlined_at is None:
            return instruction
        key = (instruction.check, instruction.at.inlined_at)
        if key not in known:
            known[key] = len(checks)
            site = program.checks[instruction.check]
            checks.append(replace(site, index=len(checks), at=replace(site.at, inlined_at=instruction.at.inlined_at)))
            origin.append(instruction.check)
        return replace(instruction, check=known[key])

    functions = {
        key: replace(function, blocks=tuple(
            replace(block, instructions=tuple(map(numbered, block.instructions))) for block in function.blocks
        ))
        for key, function in copies.functions.items()
    }  # fmt: skip
    return Apart(replace(copies, functions=functions, checks=tuple(checks)), tuple(origin))


def places(at: SourceLocation) -> Iterator[SourceLocation]:
    """The place, then the calls that lead there, the innermost first, without the arbitrary caller's."""
    one: SourceLocation | None = at
    while one is not None and not (one.file.endswith(CALLER) and one is not at):
        yield one
        one = one.inlined_at


def user_place(at: SourceLocation) -> SourceLocation:
    """The first of these that is none in a model of the library."""
    return next((one for one in places(at) if not one.file.startswith("<")), at)


def calls(site: CheckSite) -> Calls:
    """Those that lead to the check, as far as the program has them apart."""
    _, *outer = places(site.at)
    return tuple((one.file, one.line) for one in outer)


def called_at(at: SourceLocation, site: CheckSite) -> SourceLocation:
    """The place, which is that of the check or of a call that leads there, with the calls around it; for a place in a
    model of the library the call of this."""
    if at.file.startswith("<"):
        at = user_place(site.at)
    for one in places(site.at):
        if (one.file, one.line) == (at.file, at.line):
            return replace(at, inlined_at=_outer(one))
    return at


def _outer(at: SourceLocation) -> SourceLocation | None:
    """The calls around the place."""
    outer: SourceLocation | None = None
    for one in reversed(list(places(at))[1:]):
        outer = replace(one, inlined_at=outer)
    return outer
