"""What held of each element of an array, as facts about the function's memory at its end and at its loops.

A view shows one element, old and new, at an arbitrary index k. Inside the function the array is a part of a memory
that is divided into elements: one ghost stands for their addresses. At a loop, what holds of all elements in the end
may hold of those below (or from) a counter on, and the others are as they were.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from counterpoint.contracts.cases_seen import Guess
from counterpoint.contracts.views import Seen, View
from counterpoint.execute.snapshots import Snapshots
from counterpoint.invariants.filtering import surviving
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

MOST_COUNTERS: Final = 4
"""Numbers of a loop that bound a part of an array."""

MOST_RESULTS: Final = 3
"""Numbers of a loop that a result may become."""


def element_facts(
    graph: CutGraph, snapshots: Snapshots, function: str, view: View, names: Mapping[Term, Seen],
    bodies: Sequence[Sequence[Guess]],
) -> Iterator[list[Fact]]:
    """Guesses at the function's loops and end, in groups that are inductive by themselves if they are right: what the
    array is; what stays as it was; each of the bodies, under its conditions, with what is to be shown of it at the
    view. Nothing where the array is no parameter of the function."""
    body = graph.program.functions[function]
    start = next((p for p in body.parameters if p.name == view.array), None)
    if start is None or (function, EXIT) not in graph.cuts:
        return
    maker = _Maker(graph, snapshots, body, start, names, view, bodies)
    heads = [(function, head) for head in loop_heads(body) if (function, head) in graph.cuts]
    inside = [(function, EXIT), *heads]
    yield [Fact(*place, one) for place in ((function, 0), *inside) for one in maker.valid(place) if one != 1]
    yield [Fact(*place, one) for place in inside for one in maker.unchanged(place) if one != 1]
    for some in bodies:
        found: dict[Fact, None] = {}
        for place in inside:
            for guess in some:
                found |= {Fact(*place, one): None for one in maker.at(place, guess) if one != 1}
        yield [*found, *(Fact(view.name, 0, guess.formula) for guess in some)]


class _Maker:
    def __init__(
        self, graph: CutGraph, snapshots: Snapshots, body: m.Function, start: m.Register,
        names: Mapping[Term, Seen], view: View, bodies: Sequence[Sequence[Guess]],
    ) -> None:
        self.graph, self.snapshots, self.body, self.names, self.view = graph, snapshots, body, names, view
        self.bits, self.register = graph.program.layout.pointer_bits, start
        self.start = variable_of(RegisterValue(body.name, start), self.bits)
        self.ghost = ghost(0, self.bits)
        used = {names[v].text for some in bodies for guess in some for v in variables(guess.body) if v in names}
        self.from_the_end = self.view.opposite in used

    def memories(self, place: Place) -> Iterator[tuple[int, Term, Term]]:
        """(granule, what it is, what it was) of each memory that may hold the array."""
        components = self.graph.components(place)
        old = {c.of for c in components if isinstance(c, Old)}
        own = self.holding(place)
        for component in components:
            now = variable_of(component, self.bits)
            if isinstance(component, SummaryElements) and now in own and 8 * component.granule == self.width():
                yield component.granule, now, variable_of(Old(component), self.bits) if component in old else now

    def holding(self, place: Place) -> set[V]:
        """The contents of what the array's pointer may point to."""
        components, bits = self.graph.components(place), self.bits
        reader = Reader(self.graph, self.graph.cuts[place], components, lambda c: variable_of(c, bits))
        targets = self.graph.points.registers.get((self.body.name, self.register.index), 0)
        return {reader.memory[number][1] for number in reader.summaries(targets) if number in reader.memory}

    def unchanged(self, place: Place) -> Iterator[V]:
        """Elements are as they were: all of them, and outside and inside of a range."""
        for granule, now, was in self.memories(place):
            if now is was:
                continue
            index = self.index(granule)
            same = build.eq(build.select(now, self.ghost), build.select(was, self.ghost), 8 * granule)
            length = self.number(self.view.length, place)
            within = build.ult(index, length, self.bits) if length is not None else 1
            yield build.or_(within, same)
            yield same
            for inside, outside in self.ranges(place, index, length):
                yield build.or_(inside, same)
                yield build.implies(build.and_(outside, within), same)
                yield build.implies(inside, same)

    def at(self, place: Place, guess: Guess) -> Iterator[V]:
        """What follows at the place of a guess about an element: at the end all of it, at a loop its body in a part of
        the array, where a number of the loop is on the way to be the result, and perhaps another to be the length."""
        for granule, now, was in self.memories(place):
            index: V = self.index(granule)
            address: V = self.ghost
            if now is was:  # callers go on reading their own arrays, by indices: instances are made for these
                index, address = self.ghost, build.add(self.first(granule), self.ghost, self.bits)
            length = self.number(self.view.length, place)
            within = build.ult(index, length, self.bits) if length is not None else 1
            element = build.select(now, address), build.select(was, address)
            for parts in self.meanings(place, guess, index, element):
                on_index, on_result, body = parts
                if place[1] == EXIT:
                    yield build.implies(build.conjunction([within, on_index, on_result]), body)
                for inside, outside in self.ranges(place, index, length):
                    yield build.implies(build.conjunction([inside, on_index, on_result]), body)
                    yield build.implies(build.conjunction([outside, within, on_index, on_result]), body)

    def ranges(self, place: Place, index: V, length: V | None) -> Iterator[tuple[V, V]]:
        """(inside, outside) of parts of the array that a number of a loop bounds: in front of it, and as far from the
        end."""
        for counter in self.counters(place, length) if place[1] != EXIT else ():
            below = build.ult(index, counter, self.bits)
            yield below, build.not_(below)
            if length is not None and self.from_the_end:
                after = build.not_(build.ult(index, build.sub(length, counter, self.bits), self.bits))
                yield build.or_(below, after), build.and_(build.not_(below), build.not_(after))

    def index(self, granule: int) -> V:
        """Which element the ghost is the address of."""
        return build.sub(self.ghost, self.first(granule), self.bits)

    def first(self, granule: int) -> V:
        """The address of the array's first element, as elements are counted."""
        low = granule.bit_length() - 1
        return build.lshr(self.start, low, self.bits) if low else self.start

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

    def meanings(
        self, place: Place, guess: Guess, index: V, element: tuple[V, V]
    ) -> Iterator[tuple[V, V, V]]:
        """The guess's parts over what the place knows, once for each number that may stand for the result there. At a
        loop a condition on the index that speaks of the result is left out: ranges stand for it."""
        parts = (guess.index, guess.result, guess.body)
        used = [v for part in parts for v in variables(part)]
        results = [v for v in dict.fromkeys(used) if v in self.names and self.names[v].result]
        if place[1] == EXIT:
            known = self.known(place, used, index, element, {})
            if known is not None:
                yield (substitute(parts[0], known), substitute(parts[1], known), substitute(parts[2], known))
            return
        plain = not any(v in results for v in variables(guess.index))
        on_index = guess.index if plain else 1
        if not any(v in results for v in variables(guess.body)):
            yield from self.said(place, (on_index, 1, guess.body), index, element, {})
        for choice in self.choices(place, results) if results else ():
            yield from self.said(place, (on_index, guess.result, guess.body), index, element, choice)

    def said(
        self, place: Place, parts: tuple[V, V, V], index: V, element: tuple[V, V], choice: Mapping[Term, V]
    ) -> Iterator[tuple[V, V, V]]:
        used = [v for part in parts for v in variables(part)]
        known = self.known(place, used, index, element, choice)
        if known is None:
            return
        one, two, three = (substitute(part, known) for part in parts)
        yield one, two, three
        if parts[1] == 1:
            return
        for given in {v for v in variables(parts[1]) if self.names[v].argument}:
            for register in self.registers(place):
                value = variable_of(RegisterValue(self.body.name, register), self.bits)
                if value.sort is given.sort and value not in choice.values():
                    yield one, substitute(parts[1], {**known, given: value}), three

    def choices(self, place: Place, results: Sequence[Term]) -> Iterator[dict[Term, V]]:
        """Which number of the loop is on its way to be the result; only where there is one result."""
        for register in self.registers(place) if len(results) == 1 else ():
            value = variable_of(RegisterValue(self.body.name, register), self.bits)
            if value.sort is results[0].sort:
                yield {results[0]: value}

    def known(
        self, place: Place, used: Sequence[Term], index: V, element: tuple[V, V], choice: Mapping[Term, V]
    ) -> dict[Term, V] | None:
        """What the values of the view are at the place; None where it knows one of them not."""
        named = {p.name: variable_of(RegisterValue(self.body.name, p), self.bits) for p in self.body.parameters}
        known: dict[Term, V] = dict(choice)
        new, old = element
        for variable in used:
            seen = self.names.get(variable)
            if variable in known:
                continue
            if seen is None:
                return None
            if seen.text == self.view.index:
                known[variable] = index
            elif seen.text == self.view.element:
                known[variable] = old if seen.old else new
            elif seen.argument and seen.text in named and named[seen.text].sort is variable.sort:
                known[variable] = named[seen.text]
            elif seen.text == "\\result" and len(self.body.results) == 1 and place[1] == EXIT:
                known[variable] = variable_of(ResultValue(self.body.name, 0, self.body.results[0]), self.bits)
            else:
                other = self.elsewhere(seen, index, place)
                if other is None:
                    return None
                known[variable] = other
        return known

    def elsewhere(self, seen: Seen, index: V, place: Place) -> V | None:
        """What a parameter points to, or an element of an array, as it was or is."""
        if seen.text.startswith("*"):
            start = next((p for p in self.body.parameters if f"*{p.name}" == seen.text), None)
            return None if start is None else self.read(start, 0, place, seen.old)
        if not seen.old:
            return None
        if seen.text == self.view.opposite:
            length = self.number(self.view.length, place)
            if length is None:
                return None
            index = build.sub(build.sub(length, 1, self.bits), index, self.bits)
            return self.other(replace(seen, text=self.view.element), index, place)
        return self.other(seen, index, place)

    def other(self, seen: Seen, index: V, place: Place) -> V | None:
        """The element of a parameter's array at the function's entry."""
        name = seen.text.removesuffix(f"[{self.view.index}]")
        start = next((p for p in self.body.parameters if p.name == name != seen.text), None)
        return None if start is None else self.read(start, index, place, True)

    def read(self, start: m.Register, index: V, place: Place, old: bool) -> V | None:
        """The element of what a parameter points to, as it was or is."""
        components = self.graph.components(place)
        before: dict[Component, Component] = {c.of: c for c in components if isinstance(c, Old)} if old else {}
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

    def registers(self, place: Place) -> list[m.Register]:
        """Integers of the function at the place that are no parameters, those of the loop's head first."""
        own = self.body.blocks[place[1]].parameters if place[1] != EXIT else ()
        there = [c.register for c in self.graph.components(place) if isinstance(c, RegisterValue)]
        every = dict.fromkeys([*own, *there])
        found = [one for one in every if isinstance(one.type, IntType) and one not in self.body.parameters]
        return found[:MOST_RESULTS]

    def counters(self, place: Place, length: V | None) -> list[V]:
        """Numbers of the loop that were never above the length."""
        found = [one for one in map(self.wide, self.registers(place)) if one is not None]
        if length is None:
            return found[:MOST_COUNTERS]
        above = {one: Fact(*place, build.not_(build.ult(length, one, self.bits))) for one in found}
        held = surviving(above.values(), self.snapshots)
        return [one for one, fact in above.items() if fact in held][:MOST_COUNTERS]

    def wide(self, register: m.Register) -> V | None:
        if not isinstance(register.type, IntType) or not 8 <= register.type.bits <= self.bits:
            return None
        value = variable_of(RegisterValue(self.body.name, register), self.bits)
        return value if register.type.bits == self.bits else build.zext(value, register.type.bits, self.bits)
