"""The places of a program between which steps lead: where abstractions have regions, and tests have states.

Place functions are the entry function and those that calls do not walk through (program/graph.contract_functions).
Their loop heads are places in any case, and so are entry and EXIT of those that are called; `BASIC` makes every block
one (the thesis's basic blocks), `LARGE` none else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Final, Literal, TypeAlias

from counterpoint.core.errors import Unsupported
from counterpoint.core.records import dataclass
from counterpoint.program import model as m
from counterpoint.program.graph import (
    call_components,
    contract_functions,
    loop_heads,
    reachable_functions,
    recursive_functions,
    reverse_postorder,
    successors,
)
from counterpoint.program.model import Program
from counterpoint.program.names import original
from counterpoint.regions.place import ERROR as ERROR
from counterpoint.regions.place import START, Place
from counterpoint.regions.region import cut_at
from counterpoint.semantics.cutpoint import EXIT, CutPoint
from counterpoint.static.points_to import PointsTo, points_to

Granularity: TypeAlias = Literal["basic", "large"]

BASIC: Final = "basic"
LARGE: Final = "large"


@dataclass(frozen=True, slots=True)
class Locations:
    """`blocks`: for each place function the blocks that are places; `contracts`: the functions called by contract;
    `checking`: those others whose calls may fail a check."""

    points: PointsTo
    blocks: Mapping[str, frozenset[int]]
    contracts: frozenset[str]
    checking: frozenset[str]
    _following: dict[Place, Following] = field(default_factory=dict, repr=False, compare=False)

    @property
    def program(self) -> Program:
        return self.points.program

    def cut(self, place: Place) -> CutPoint:
        """The components of states at the place. Remembered with the program."""
        if place == START:
            place = (self.program.entry, 0)
        return cut_at(self.points, place)

    def is_place(self, function: str, block: int) -> bool:
        return block in self.blocks.get(function, ())

    def name(self, place: Place) -> str:
        """For people: `main:3`."""
        if place == START:
            return "start"
        if place == ERROR:
            return "error"
        return f"{original(place[0])}:{'exit' if place[1] == EXIT else place[1]}"


def locations(program: Program, granularity: Granularity = BASIC) -> Locations:
    """The places of the program. Raises Unsupported where the entry function is recursive."""
    entry = program.entry
    if entry in recursive_functions(program):
        raise Unsupported(f"{entry} calls itself: it has no places")
    contracts = (contract_functions(program) & reachable_functions(program)) - {entry}
    blocks: dict[str, frozenset[int]] = {}
    for name in (entry, *sorted(contracts)):
        function = program.functions[name]
        chosen = set(reverse_postorder(function) if granularity == BASIC else loop_heads(function))
        if name == entry:
            chosen.discard(0)  # START is its entry
        else:
            chosen |= {0, EXIT}
        blocks[name] = frozenset(chosen)
    return Locations(points_to(program), blocks, frozenset(contracts), _checking(program, frozenset(contracts)))


@dataclass(frozen=True, slots=True)
class Following:
    """What syntactically comes next: places of the same function, functions that are called by contract on the way,
    and whether a check may fail (or something without a meaning be met) before."""

    places: tuple[Place, ...]
    calls: tuple[str, ...]
    checks: bool


def following(where: Locations, place: Place) -> Following:
    """The places that a step from `place` may lead to. Linear in the function, once per place."""
    known = where._following.get(place)
    if known is None:
        known = where._following[place] = _followed(where, place)
    return known


def _followed(where: Locations, place: Place) -> Following:
    program = where.program
    function = program.main if place == START else program.functions[place[0]]
    if place[1] == EXIT:
        return Following((), (), False)
    start = 0 if place == START else place[1]
    found: dict[Place, None] = {}
    calls: dict[str, None] = {}
    checks = False
    waiting, seen = [start], {start}
    while waiting:
        block = function.blocks[waiting.pop()]
        for instruction in block.instructions:
            match instruction:
                case m.Check() | m.Unsupported():
                    checks = True
                case m.Call(callee=callee):
                    checks = checks or callee in where.checking
                    if callee in where.contracts:
                        calls[callee] = None
        if isinstance(block.terminator, m.Return) and function.name in where.contracts:
            found[function.name, EXIT] = None
        for target in reversed(successors(function)[block.index]):
            if where.is_place(function.name, target):
                found[function.name, target] = None
            elif target not in seen:
                seen.add(target)
                waiting.append(target)
    return Following(tuple(sorted(found)), tuple(calls), checks)


def _checking(program: Program, contracts: frozenset[str]) -> frozenset[str]:
    """Functions whose calls may fail a check while they are walked through; contract functions answer for theirs."""
    found: set[str] = set()
    for component in call_components(program):
        for name in component:
            body = (i for block in program.functions[name].blocks for i in block.instructions)
            if name not in contracts and any(
                isinstance(i, m.Check | m.Unsupported) or (isinstance(i, m.Call) and i.callee in found) for i in body
            ):
                found.add(name)
    return frozenset(found)
