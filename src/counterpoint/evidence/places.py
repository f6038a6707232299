"""The places that a certificate's facts are about, and the facts as statements over components there.

Everything in a certificate is untrusted: a fact at a place that is none, over anything but components there and
ghosts, or array elements of an impossible size make the certificate EvidenceRejected.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from counterpoint.core.errors import EvidenceRejected, InternalError, Unsupported
from counterpoint.core.patterns import regex
from counterpoint.core.records import dataclass
from counterpoint.program.graph import (
    by_contract,
    contract_functions,
    loop_heads,
    reachable_functions,
    recursive_functions,
)
from counterpoint.program.model import Program
from counterpoint.program.names import original
from counterpoint.semantics.components import Component, variable_of
from counterpoint.semantics.cutpoint import EXIT, CutPoint, components, cut_point
from counterpoint.semantics.facts import GHOST, Fact
from counterpoint.semantics.framing import framed_heads
from counterpoint.static.points_to import PointsTo, points_to
from counterpoint.term.sorts import BOOL, BitVec
from counterpoint.term.term import Term, V
from counterpoint.term.walk import addresses, substitute, variables

Place: TypeAlias = tuple[str, int]
"""(function, block): a loop head, the entry (block 0) or EXIT of a function that is called by contract, or another
block at which a certificate wants regions to end."""

START: Place = ("", 0)
"""The start of the run. No facts are there."""

_GHOST_NAME = regex(re.escape(GHOST) + r"[0-9]{1,9}\Z")
_GRANULES = frozenset({1, 2, 4, 8, 16})


@dataclass(frozen=True, slots=True)
class Places:
    """Where regions of the program begin and end: `cuts`; `contracts` are the functions called by contract. At the
    `framed` ones, heads of loops, regions go on (semantics/framing.py)."""

    points: PointsTo
    cuts: Mapping[Place, CutPoint]
    contracts: frozenset[str]
    framed: frozenset[Place] = frozenset()

    @property
    def program(self) -> Program:
        return self.points.program

    @property
    def starts(self) -> tuple[Place, ...]:
        """Where regions begin, START first."""
        return (START, *(place for place in self.cuts if place[1] != EXIT and place not in self.framed))

    def known(self, place: Place, granules: Mapping[str, int]) -> dict[Term, Component]:
        """The components at the place by their variables, of which each has its own."""
        bits = self.program.layout.pointer_bits
        there = components(self.cuts[place], granules)
        found = {variable_of(component, bits): component for component in there}
        if len(found) < len(there):
            raise InternalError(f"two parts of the state at {self.name(place)} have one name")
        return found

    def name(self, place: Place) -> str:
        """For messages: `main:3 (file.c:12)`."""
        function, block = place
        if place == START:
            return "the start"
        if block == EXIT:
            return f"the exit of {original(function)}"
        body = self.program.functions[function].blocks[block]
        at = body.instructions[0].at if body.instructions else body.terminator.at
        return f"{original(function)}:{block} ({at.file}:{at.line})"


def chosen(program: Program, contracts: Iterable[str]) -> Program:
    """The program whose calls of these functions go by contract as well. Raises EvidenceRejected for what is none."""
    names = frozenset(contracts)
    if strange := sorted(names - (program.functions.keys() - {program.entry})):
        raise EvidenceRejected(f"the proof has a contract of {strange[0]}, which is no function that is called")
    return by_contract(program, names)


def places_of(program: Program, also: Iterable[Place] = (), frames: bool = False) -> Places:
    """All places of the program, and those blocks of the same functions; with `frames`, loop heads are framed that can
    be.

    Raises Unsupported where the entry function is recursive, EvidenceRejected for `also` that are no places.
    """
    entry = program.entry
    if entry in recursive_functions(program):
        raise Unsupported(f"{entry} calls itself: its loops have no cut points")
    contracts = (contract_functions(program) & reachable_functions(program)) - {entry}
    places: list[Place] = [(entry, head) for head in loop_heads(program.main)]
    for name in sorted(contracts):
        inner = [head for head in loop_heads(program.functions[name]) if head != 0]
        places += [(name, 0), *((name, head) for head in inner), (name, EXIT)]
    functions = {entry, *contracts}
    for function, block in dict.fromkeys(place for place in also if place not in places):
        if function not in functions or not 0 <= block < len(program.functions[function].blocks):
            raise EvidenceRejected(f"the proof has a region at {function}:{block}, where no region can be")
        places.append((function, block))
    points = points_to(program)
    framed = framed_heads(points) if frames else frozenset()
    return Places(points, {place: cut_point(points, *place) for place in places}, contracts, framed)


# ---------------------------------------------------------------- facts


@dataclass(frozen=True, slots=True)
class Statement:
    """A fact at a place: `needs` are its components by variable, `ghosts` what it is universally quantified over."""

    formula: V
    needs: Mapping[Term, Component]
    ghosts: tuple[Term, ...]

    def covered(self, values: Mapping[Term, V]) -> bool:
        return all(variable in values for variable in self.needs)

    def of(self, values: Mapping[Term, V]) -> V:
        """What it says where the components have these values, for arbitrary constants as its ghosts."""
        return substitute(self.formula, {variable: values[variable] for variable in self.needs})

    def instances(self, values: Mapping[Term, V], choices: Iterable[Sequence[V]]) -> Iterator[V]:
        """What it says for these choices of its ghosts."""
        meant = {variable: values[variable] for variable in self.needs}
        for chosen in choices:
            yield substitute(self.formula, {**meant, **dict(zip(self.ghosts, chosen, strict=True))})


def statements(
    places: Places, facts: Iterable[Fact], granules: Mapping[str, int]
) -> dict[Place, list[Statement]]:
    """The facts by place, in their order. Raises EvidenceRejected for one without a meaning."""
    found: dict[Place, list[Statement]] = {}
    known: dict[Place, dict[Term, Component]] = {}
    for fact in facts:
        if fact.place not in places.cuts:
            raise EvidenceRejected(f"the proof has a fact at {fact.function}:{fact.block}, which is no cut point")
        if fact.place not in known:
            known[fact.place] = places.known(fact.place, granules)
        found.setdefault(fact.place, []).append(_statement(fact, known[fact.place], places))
    return found


def _statement(fact: Fact, known: Mapping[Term, Component], places: Places) -> Statement:
    formula, where = fact.formula, places.name(fact.place)
    if formula not in (0, 1) if isinstance(formula, int) else formula.sort is not BOOL:
        raise EvidenceRejected(f"a fact at {where} is no formula")
    if addresses(formula):
        raise EvidenceRejected(f"a fact at {where} mentions an object's number")
    pointer = BitVec(places.program.layout.pointer_bits)
    needs: dict[Term, Component] = {}
    ghosts: list[Term] = []
    for variable in variables(formula):
        if variable in known:
            needs[variable] = known[variable]
        elif _GHOST_NAME.match(str(variable.payload)) and variable.sort is pointer:
            ghosts.append(variable)
        else:
            raise EvidenceRejected(f"a fact at {where} is about {variable.payload}, which is no component there")
    return Statement(formula, needs, tuple(sorted(ghosts, key=lambda v: str(v.payload))))


def checked_granules(granules: Iterable[tuple[str, int]]) -> dict[str, int]:
    """The certificate's element sizes. Raises EvidenceRejected for one that no array can have."""
    for origin, size in granules:
        if size not in _GRANULES:
            raise EvidenceRejected(f"the proof has array elements of {size} bytes in {origin}")
    return dict(granules)
