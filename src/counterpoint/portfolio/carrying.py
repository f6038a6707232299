"""Carries a proof over from a program to what it was edited into: places, registers and objects by what they are in the
text of their functions. What comes of it is a guess, and is checked as one.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field, replace
from difflib import SequenceMatcher
from itertools import pairwise, takewhile
from typing import Any

from counterpoint.core.errors import EvidenceRejected
from counterpoint.core.patterns import regex
from counterpoint.core.records import dataclass
from counterpoint.evidence.certificate import Certificate
from counterpoint.evidence.places import checked_granules, places_of, statements
from counterpoint.portfolio.shapes import FunctionShape, Line, Shape, shape_of
from counterpoint.program.model import Program
from counterpoint.semantics.cutpoint import EXIT
from counterpoint.semantics.encodings import FACTS, GRANULES, NAMES
from counterpoint.semantics.facts import Fact
from counterpoint.static.points_to import PointsTo, points_to
from counterpoint.term import build
from counterpoint.term.term import Term
from counterpoint.term.walk import substitute, variables

MOST_PAIRS = 1 << 16
"""Lines of the one times lines of the other up to which all lines of two edited parts are compared."""

_OWN_REGISTER = regex(r"([A-Za-z_.$][A-Za-z0-9_.$]*)%(\d+)")
_LABEL = regex(r"[A-Za-z_.$][A-Za-z0-9_.$]*#(\d+)")
_SUMMARY = regex(r"\b(memory |live|size)(\d+)\[\*")
_SUMMARY_ORIGIN = regex(r"summary (\d+)\Z")
_INSTANCE = regex(r"([A-Za-z_.$][A-Za-z0-9_.$]*):(\d+)(?:\.(\d+))?(\[[\d,]*\])(?:>(\d+)|/)")


class Lost(Exception):
    """Something that a part of the proof is about has nothing that it could be now."""


@dataclass(slots=True)
class _Function:
    """What blocks, positions, registers and objects of a function have become."""

    same: bool
    blocks: dict[int, int] = field(default_factory=dict)
    positions: dict[tuple[int, int], int] = field(default_factory=dict)
    registers: dict[int, int] = field(default_factory=dict)
    things: dict[int, int] = field(default_factory=dict)


@dataclass(slots=True)
class Carrier:
    """From the program of `before` to `program`. `changed`: functions that are not what they were."""

    before: Shape
    program: Program
    points: PointsTo = field(init=False)
    now: Shape = field(init=False)
    functions: dict[str, _Function] = field(default_factory=dict)
    things: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.points = points_to(self.program)
        self.now = shape_of(self.points)
        for name, was in self.before.functions.items():
            if (function := self.now.functions.get(name)) is not None:
                found = self.functions[name] = _matched(was, function)
                self.things |= found.things

    @property
    def changed(self) -> tuple[str, ...]:
        """Functions that are new or not what they were."""
        known = self.functions
        return tuple(name for name in self.now.functions if name not in known or not known[name].same)

    def certificate(self, certificate: Certificate) -> Certificate | None:
        """What it says, of the program as it is now; None where too much of it is lost."""
        made: dict[str, Any] = {}
        for name, encoding in certificate.encodings.items():
            value = getattr(certificate, name)
            if encoding is GRANULES:
                made[name] = tuple(self.granules(value))
            elif encoding is FACTS:
                made[name] = tuple(self.facts(value))
                if certificate.alternatives and len(made[name]) < len(value):
                    return None
            elif encoding is NAMES:
                made[name] = tuple(function for function in value if function in self.program.functions)
            elif name == "cuts":
                made[name] = tuple(self._cuts(value))
        carried: Certificate = replace(certificate, **made)  # type: ignore[type-var]
        return carried

    def facts(self, facts: Iterable[Fact]) -> Iterator[Fact]:
        """Those that are about what is still there."""
        for fact in facts:
            try:
                yield self._fact(fact)
            except Lost:
                continue

    # ---------------------------------------------------------------- parts

    def _fact(self, fact: Fact) -> Fact:
        block = fact.block if fact.block == EXIT else self._block(fact.function, fact.block)
        if fact.function not in self.functions:
            raise Lost
        place = fact.function, block
        renamed = {
            variable: build.variable(self._name(str(variable.payload)), variable.sort)
            for variable in (variables(fact.formula) if isinstance(fact.formula, Term) else ())
        }
        return Fact(*place, substitute(fact.formula, renamed))

    def _block(self, function: str, block: int) -> int:
        found = self.functions.get(function)
        if found is None or block not in found.blocks:
            raise Lost
        return found.blocks[block]

    def _name(self, name: str) -> str:
        """A component's, or a ghost's."""

        def register(found: re.Match[str]) -> str:
            known = self.functions.get(found[1])
            if known is None or int(found[2]) not in known.registers:
                raise Lost
            return f"{found[1]}%{known.registers[int(found[2])]}"

        def label(found: re.Match[str]) -> str:
            return self.now.things[self._thing(int(found[1]))].label

        def summary(found: re.Match[str]) -> str:
            return f"{found[1]}{self._summary(int(found[2]))}[*"

        for pattern, what in ((_OWN_REGISTER, register), (_LABEL, label), (_SUMMARY, summary)):
            if pattern.search(name):
                return pattern.sub(what, name)
        return name

    def _thing(self, number: int) -> int:
        if number not in self.things:
            raise Lost
        return self.things[number]

    def _summary(self, number: int) -> int:
        """The number of the summary that holds the object now (`semantics.cutpoint`)."""
        thing = self.points.objects[self._thing(number)]
        for group in self.points.classes:
            if thing.number in group:
                objects = (self.points.objects[other] for other in group)
                return min(one.number for one in objects if one.allocation is not None and one.heap is thing.heap)
        raise Lost

    def granules(self, granules: Sequence[tuple[str, int]]) -> Iterator[tuple[str, int]]:
        origins: dict[str, str] = {}
        for number, thing in self.before.things.items():
            if number in self.things:
                origins.setdefault(thing.origin, self.now.things[self.things[number]].origin)
        for origin, size in granules:
            try:
                if (found := _SUMMARY_ORIGIN.match(origin)) is not None:
                    yield f"summary {self._summary(int(found[1]))}", size
                else:
                    yield origins.get(origin, origin), size
            except Lost:
                continue

    def _cuts(self, cuts: Sequence[str]) -> Iterator[str]:
        for cut in cuts:
            try:
                yield _INSTANCE.sub(self._instance, cut)
            except Lost:
                continue

    def _instance(self, found: re.Match[str]) -> str:
        function, block, position, iterations, target = found.groups()
        here = self._block(function, int(block))
        if position is not None:
            moved = self.functions[function].positions.get((int(block), int(position)))
            if moved is None:
                raise Lost
            return f"{function}:{here}.{moved}{iterations}/"
        return f"{function}:{here}{iterations}>{self._block(function, int(target))}"


# ---------------------------------------------------------------- one function


def _matched(was: FunctionShape, now: FunctionShape) -> _Function:
    """Lines that are the same, in one order; then loop heads one by one, where there are as many as there were."""
    found = _Function(same=[one.text for one in was.lines] == [one.text for one in now.lines])
    for old, new in _pairs(was.lines, now.lines):
        found.registers.update(zip(old.registers, new.registers, strict=False))
        if old.block >= 0 and old.position == -1:
            found.blocks.setdefault(old.block, new.block)
        if old.position >= 0 and found.blocks.setdefault(old.block, new.block) == new.block:
            found.positions[old.block, old.position] = new.position
        if old.thing >= 0 and new.thing >= 0:
            found.things[old.thing] = new.thing
    if len(was.heads) == len(now.heads):
        found.blocks.update(zip(was.heads, now.heads, strict=True))
        for old_head, new_head in zip(was.heads, now.heads, strict=True):
            _match_parameters(found, _head(was, old_head), _head(now, new_head))
    made = [one.thing for one in was.lines if one.thing >= 0], [one.thing for one in now.lines if one.thing >= 0]
    if len(made[0]) == len(made[1]):
        found.things.update(zip(*made, strict=True))
    return found


def _head(shape: FunctionShape, block: int) -> Line:
    return next(line for line in shape.lines if line.block == block and line.position == -1)


def _match_parameters(found: _Function, old: Line, new: Line) -> None:
    if old.text == new.text:
        found.registers.update(zip(old.registers, new.registers, strict=True))


def _pairs(was: Sequence[Line], now: Sequence[Line]) -> Iterator[tuple[Line, Line]]:
    """Lines with one text, in one order: what is the same at both ends, then those that are single in both texts, and
    between these what a comparison of all lines gives. After patience diff; linear but for small gaps."""
    gaps = [(was, now)]
    while gaps:
        old, new = gaps.pop()
        first = _alike(old, new)
        last = _alike(old[first:][::-1], new[first:][::-1])
        yield from zip(old[:first], new[:first], strict=True)
        yield from zip(old[len(old) - last :], new[len(new) - last :], strict=True)
        old, new = old[first : len(old) - last], new[first : len(new) - last]
        anchors = _single(old, new)
        if anchors:
            yield from ((old[i], new[j]) for i, j in anchors)
            ends = [(-1, -1), *anchors, (len(old), len(new))]
            gaps += [(old[i + 1 : k], new[j + 1 : n]) for (i, j), (k, n) in pairwise(ends)]
        elif 0 < len(old) * len(new) <= MOST_PAIRS:
            yield from _compared(old, new)


def _alike(old: Sequence[Line], new: Sequence[Line]) -> int:
    """So many lines at the start have one text."""
    same = takewhile(lambda pair: pair[0].text == pair[1].text, zip(old, new, strict=False))
    return sum(1 for _ in same)


def _single(old: Sequence[Line], new: Sequence[Line]) -> list[tuple[int, int]]:
    """Positions of lines whose text is there once in both: the longest rising sequence of them."""
    counts = Counter(line.text for line in old), Counter(line.text for line in new)
    where = {line.text: j for j, line in enumerate(new)}
    pairs = [
        (i, where[line.text])
        for i, line in enumerate(old)
        if counts[0][line.text] == counts[1][line.text] == 1
    ]
    ends: list[int] = []  # the least position at which a sequence of each length ends
    chains: list[tuple[tuple[int, int], int]] = []  # of each pair, and the one before it in its longest sequence
    at: list[int] = []
    for i, j in pairs:
        length = bisect_left(ends, j)
        chains.append(((i, j), at[length - 1] if length else -1))
        ends[length : length + 1], at[length : length + 1] = [j], [len(chains) - 1]
    found: list[tuple[int, int]] = []
    link = at[-1] if at else -1
    while link >= 0:
        pair, link = chains[link]
        found.append(pair)
    return found[::-1]


def _compared(old: Sequence[Line], new: Sequence[Line]) -> Iterator[tuple[Line, Line]]:
    matcher = SequenceMatcher(None, [line.text for line in old], [line.text for line in new], autojunk=False)
    for match in matcher.get_matching_blocks():
        yield from zip(old[match.a : match.a + match.size], new[match.b : match.b + match.size], strict=True)


def understood(program: Program, facts: Iterable[Fact], granules: Iterable[tuple[str, int]]) -> Iterator[Fact]:
    """Those that have a meaning in the program."""
    places, sizes = places_of(program), checked_granules(granules)
    for fact in facts:
        try:
            statements(places, (fact,), sizes)
        except EvidenceRejected:
            continue
        yield fact
