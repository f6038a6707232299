"""Places of the abstract program, error traces and predicates in the user's words: source lines and C expressions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from itertools import groupby
from pathlib import Path
from typing import Final

from counterpoint.core.events import PlacePredicates
from counterpoint.core.records import dataclass
from counterpoint.core.source import NOWHERE, SourceLocation
from counterpoint.explain.names import Names
from counterpoint.program import model as m
from counterpoint.program.graph import successors
from counterpoint.regions.cut_graph import START, Place
from counterpoint.regions.locations import Locations
from counterpoint.semantics.cutpoint import EXIT
from counterpoint.term.term import Term, V
from counterpoint.term.walk import variables

FIRST: Final = 4
LAST: Final = 4
"""Places of a long trace that are named."""

MOST_CHECKS: Final = 3
"""Checks that it is said to end in."""

MOST_TEXTS: Final = 200
LONGEST: Final = 300
"""Predicates of a place that are told, and characters of one."""


@dataclass(slots=True)
class PlaceTexts:
    """Names what there is in one program."""

    where: Locations
    _names: dict[tuple[str, tuple[Term, ...]], Names] = field(default_factory=dict)

    # ------------------------------------------------------------ places

    def at(self, place: Place) -> SourceLocation:
        """The first location that is known in the place's block; of the function, at its ends."""
        function = self._function(place)
        if place == START or place[1] == EXIT:
            return function.at
        block = function.blocks[place[1]]
        known = (at for at in (*(one.at for one in block.instructions), block.terminator.at) if at.line)
        return next(known, function.at if place[1] == 0 else NOWHERE)

    def name(self, place: Place) -> str:
        """`main:3`, with the function that it was inlined from."""
        name, inner = self.where.name(place).removeprefix("__cp_"), self.at(place).function
        return f"{name}, {inner}" if place != START and inner not in ("", name.partition(":")[0]) else name

    def _function(self, place: Place) -> m.Function:
        program = self.where.program
        return program.main if place == START else program.functions[place[0]]

    # ------------------------------------------------------------ traces

    def described(self, places: Sequence[Place]) -> str:
        """The error trace over these places: `start -> a.c:12 (3 times) -> a.c:30 -> .. -> error at a.c:40`."""
        found: list[str] = []
        for text, same in groupby(map(self._short, places)):
            times = sum(1 for _ in same)
            found.append(text if times == 1 else f"{text} ({times} times)")
        if len(found) > FIRST + LAST + 1:
            found[FIRST:-LAST] = [".."]
        return " -> ".join([*found, self._error(places[-1])])

    def _short(self, place: Place) -> str:
        if place == START:
            return "start"
        return ("end of " if place[1] == EXIT else "") + (line_of(self.at(place)) or self.where.name(place))

    def _error(self, place: Place) -> str:
        lines = [*dict.fromkeys(filter(None, map(line_of, self._checks(place))))]
        return f"error at {' or '.join(lines)}" if 0 < len(lines) <= MOST_CHECKS else "error"

    def _checks(self, place: Place) -> Iterator[SourceLocation]:
        """The checks that a step from the place may come to."""
        function = self._function(place)
        waiting = [0 if place == START else place[1]]
        seen = set(waiting)
        while waiting:
            block = function.blocks[waiting.pop()]
            for instruction in block.instructions:
                if isinstance(instruction, m.Check):
                    yield user_location(self.where.program.checks[instruction.check].at)
                elif isinstance(instruction, m.Call) and instruction.callee in self.where.checking:
                    yield user_location(instruction.at)
            for target in successors(function)[block.index]:
                if target not in seen and not self.where.is_place(function.name, target):
                    seen.add(target)
                    waiting.append(target)

    # ------------------------------------------------------------ predicates

    def names(self, place: Place, formula: V) -> Names:
        """Names for what the formula speaks of. Remembered."""
        key = self._function(place).name, tuple(variables(formula))
        if key not in self._names:
            self._names[key] = Names(self._function(place), [formula], self.where.program)
        return self._names[key]

    def precision(self, predicates: Mapping[Place, Sequence[V]]) -> Iterator[PlacePredicates]:
        """Those of each place that has any, in the order of lines."""
        used = [(self.at(place).line, place) for place, known in predicates.items() if known]
        for _, place in sorted(used):
            yield self.of_place(place, predicates[place])

    def of_place(self, place: Place, predicates: Iterable[V]) -> PlacePredicates:
        """Some predicates of a place, at most MOST_TEXTS of them in full."""
        found, at = list(predicates), self.at(place)
        kept = found[:MOST_TEXTS]
        names = Names(self._function(place), kept, self.where.program)
        texts = tuple(_cut(names.text(predicate)) for predicate in kept)
        return PlacePredicates(self.name(place), at.line, texts, len(found), at.function or self._function(place).name)


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else text[:LONGEST] + " .."


def line_of(at: SourceLocation) -> str:
    """`a.c:12`; nothing where the line is not known."""
    return f"{Path(at.file).name}:{at.line}" if at.line else ""


def user_location(at: SourceLocation) -> SourceLocation:
    """Where the user's code is that leads there: out of library models."""
    while at.file.startswith("<") and at.inlined_at is not None:
        at = at.inlined_at
    return at
