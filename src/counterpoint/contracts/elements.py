"""What held of each element of an array, as facts about the function's memory at its end and at its loops.

A view shows one element, old and new, at an arbitrary index k. Inside the function the array is a part of a memory
that is divided into elements: one ghost stands for their addresses. At a loop, what holds of all elements in the end
may hold of those below (or from) a counter on, and the others are as they were.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from counterpoint.contracts.views import Seen, View
from counterpoint.program import model as m
from counterpoint.program.graph import loop_heads
from counterpoint.program.types import IntType
from counterpoint.regions.cut_graph import CutGraph, Place
from counterpoint.regions.pointees import Reader
from counterpoint.semantics.components import (
    Component,
    Old,
    RegisterValue,
    ResultValue,
    SummaryElements,
    SummaryLive,
    SummarySizes,
    variable_of,
)
from counterpoint.semantics.cutpoint import EXIT
from counterpoint.semantics.facts import Fact, ghost
from counterpoint.semantics.layout import OBJECT_ALIGNMENT
from counterpoint.term import build
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import Term, V
from counterpoint.term.walk import substitute, variables

MOST_FORMULAS: Final = 8
"""What held of the elements that is tried, the likeliest first."""

MOST_COUNTERS: Final = 4


def element_facts(
    graph: CutGraph, function: str, view: View, names: Mapping[Term, Seen], formulas: Iterable[V]
) -> Iterator[list[Fact]]:
    """Guesses at the function's loops and end, in groups that are inductive by themselves if they are right: what the
    array is; what stays as it was; each of the formulas, with what is to be shown of it at the view. Nothing where the
    array is no parameter of the function."""
    body = graph.program.functions[function]
    start = next((p for p in body.parameters if p.name == view.array), None)
    if start is None or (function, EXIT) not in graph.cuts:
        return
    maker = _Maker(graph, body, start, names, view)
    heads = [(function, head) for head in loop_heads(body) if (function, head) in graph.cuts]
    inside = [(function, EXIT), *heads]
    yield [Fact(*place, one) for place in ((function, 0), *inside) for one in maker.valid(place) if one != 1]
    for formula in (None, *list(formulas)[:MOST_FORMULAS]):
        shown = [] if formula is None else [Fact(view.name, 0, formula)]
        yield [*(Fact(*place, one) for place in inside for one in maker.at(place, formula) if one != 1), *shown]


class _Maker:
    def __init__(
        self, graph: CutGraph, body: m.Function, start: m.Register, names: Mapping[Term, Seen], view: View
    ) -> None:
        self.graph, self.body, self.names, self.view = graph, body, names, view
        self.bits = graph.program.layout.pointer_bits
        self.start = variable_of(RegisterValue(body.name, start), self.bits)
        self.ghost = ghost(0, self.bits)

    def at(self, place: Place, formula: V | None) -> Iterator[V]:
        """What follows at the place of a formula about an element; None: that it is as it was."""
        components = self.graph.components(place)
        old = {c.of for c in components if isinstance(c, Old)}
        for component in components:
            if not isinstance(component, SummaryElements) or 8 * component.granule != self.width():
                continue
            now = variable_of(component, self.bits)
            was = variable_of(Old(component), self.bits) if component in old else now
            yield from self.about(place, component.granule, now, was, formula)

    def valid(self, place: Place) -> Iterator[V]:
        """The array is a live object of its own, as large as its elements."""
        yield build.eq(build.bvand(self.start, OBJECT_ALIGNMENT - 1, self.bits), 0, self.bits)
        length = self.number(self.view.length, place)
        for component in self.graph.components(place):
            match component:
                case SummaryLive():
                    live = build.select(variable_of(component, self.bits), self.start)
                    yield build.eq(live, 1, 8)
                case SummarySizes() if length is not None:
                    size = build.select(variable_of(component, self.bits), self.start)
                    yield build.eq(size, build.mul(length, self.width() // 8, self.bits), self.bits)

    def width(self) -> int:
        """Bits of an element."""
        found = next((v.sort for v, seen in self.names.items() if seen.text == self.view.element), None)
        return found.width if isinstance(found, BitVec) else 0

    def about(self, place: Place, granule: int, now: Term, was: Term, formula: V | None) -> Iterator[V]:
        low = granule.bit_length() - 1
        first = build.lshr(self.start, low, self.bits) if low else self.start
        index = build.sub(self.ghost, first, self.bits)
        new, old = build.select(now, self.ghost), build.select(was, self.ghost)
        if formula is None:
            said: V | None = build.eq(new, old, 8 * granule) if now is not was else None
        else:
            said = self.inside(formula, index, new, old, place)
        if said is None:
            return
        length = self.number(self.view.length, place)
        within = build.ult(index, length, self.bits) if length is not None else 1
        yield build.or_(within, said) if formula is None else build.implies(within, said)
        if formula is None:
            yield said
        for counter in self.counters(place[1]) if place[1] != EXIT else ():
            below = build.ult(index, counter, self.bits)
            if formula is None:
                yield build.or_(below, said)
                yield build.implies(below, said)
            else:
                yield build.implies(below, said)
                yield build.implies(build.and_(build.not_(below), within), said)

    def inside(self, formula: V, index: V, new: V, old: V, place: Place) -> V | None:
        """The formula over the function's registers, and elements of other arrays at the same index as they were."""
        named = {p.name: variable_of(RegisterValue(self.body.name, p), self.bits) for p in self.body.parameters}
        known: dict[Term, V] = {}
        for variable in variables(formula):
            seen = self.names.get(variable)
            if seen is None:
                return None
            if seen.text == self.view.index:
                known[variable] = index
            elif seen.text == self.view.element:
                known[variable] = old if seen.old else new
            elif seen.argument and seen.text in named and named[seen.text].sort is variable.sort:
                known[variable] = named[seen.text]
            elif seen.text == "\\result" and len(self.body.results) == 1:
                known[variable] = variable_of(ResultValue(self.body.name, 0, self.body.results[0]), self.bits)
            else:
                other = self.other(seen, index, place) if seen.old else None
                if other is None:
                    return None
                known[variable] = other
        return substitute(formula, known)

    def other(self, seen: Seen, index: V, place: Place) -> V | None:
        """The element of another parameter's array at the function's entry."""
        name = seen.text.removesuffix(f"[{self.view.index}]")
        start = next((p for p in self.body.parameters if p.name == name != seen.text), None)
        if start is None:
            return None
        components = self.graph.components(place)
        before: dict[Component, Component] = {c.of: c for c in components if isinstance(c, Old)}
        bits = self.bits
        reader = Reader(self.graph, self.graph.cuts[place], components, lambda c: variable_of(before.get(c, c), bits))
        targets = self.graph.points.registers.get((self.body.name, start.index), 0)
        for number in reader.summaries(targets):
            granule, memory = reader.memory.get(number, (0, None))
            if memory is not None and granule:
                address = variable_of(RegisterValue(self.body.name, start), bits)
                first = build.lshr(address, granule.bit_length() - 1, bits)
                return build.select(memory, build.add(first, index, bits))
        return None

    def number(self, text: str, place: Place) -> V | None:
        """The array's length, as wide as a pointer."""
        if text.isdecimal():
            return int(text)
        register = next((p for p in self.body.parameters if p.name == text), None)
        return None if register is None else self.wide(register)

    def counters(self, head: int) -> list[V]:
        registers = self.body.blocks[head].parameters
        found = [self.wide(register) for register in registers if isinstance(register.type, IntType)]
        return [one for one in found if one is not None][:MOST_COUNTERS]

    def wide(self, register: m.Register) -> V | None:
        if not isinstance(register.type, IntType) or not 8 <= register.type.bits <= self.bits:
            return None
        value = variable_of(RegisterValue(self.body.name, register), self.bits)
        return value if register.type.bits == self.bits else build.zext(value, register.type.bits, self.bits)
