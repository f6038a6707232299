"""Mutations of facts that know the state: atoms over components of every kind, names and widths that belong elsewhere."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from counterpoint.regions.cut_graph import CutGraph, Place
from counterpoint.semantics.components import Component, variable_of
from counterpoint.semantics.facts import Fact, ghost
from counterpoint.term import build as b
from counterpoint.term.sorts import ArraySort, BitVec, Float, Sort
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import reachable, substitute, variables

BITS = 64
NUMBERS = (0, 1, 2, 3, 7, 8, 16, 100, (1 << 31) - 1, (1 << 32) - 8, (1 << 64) - 8)
STRANGE = ("{}#0", "{}#1", "{}#0.{}.0", "{}#1.__cp_main.1", "cut.{}", "at.{}", "addr!0", "&0#0", "{}!1", "{} ", "forall.{}")
"""Names such as those that conditions give to what they do not know: none is a component's."""

_T = TypeVar("_T")


def components_at(graph: CutGraph, place: Place) -> Sequence[Component]:
    """None where there is no place, but perhaps a mutated fact."""
    return graph.components(place) if place in graph.cuts else ()


def atom(graph: CutGraph, place: Place, chosen: random.Random) -> V | None:
    """Something about one component at the place, each kind as often as the others."""
    kinds: dict[type, list[Component]] = {}
    for component in components_at(graph, place):
        kinds.setdefault(type(component), []).append(component)
    if not kinds:
        return None
    component = chosen.choice(kinds[chosen.choice(sorted(kinds, key=lambda kind: kind.__name__))])
    variable = variable_of(component, BITS)
    return _about(variable, variable.sort, [variable_of(c, BITS) for c in components_at(graph, place)], chosen)


def _about(value: V, sort: Sort, others: Sequence[Term], chosen: random.Random) -> V | None:
    match sort:
        case BitVec(width=width):
            same = [other for other in others if other.sort == sort and other is not value]
            other = chosen.choice(same) if same and chosen.random() < 0.6 else chosen.choice(NUMBERS) % (1 << width)
            ways = [b.eq, b.eq, b.ult, b.ule, b.slt, b.sle]
            made = chosen.choice(ways)(*chosen.sample([value, other], 2), width)
            return b.not_(made) if chosen.random() < 0.3 else made
        case ArraySort(index=index, element=element):
            indices = [*(other for other in others if other.sort == BitVec(index)), ghost(0, BITS), *NUMBERS[:4]]
            read = b.select(value, chosen.choice(indices)) if isinstance(value, Term) else value
            return _about(read, BitVec(element), others, chosen)
        case Float():
            return None
        case _:
            return b.not_(value) if chosen.random() < 0.5 else value


# ---------------------------------------------------------------- mutations: base, chooser, facts, position


def _stronger(base, chosen: random.Random, facts: list[Fact], i: int) -> list[Fact] | None:
    said = atom(base.graph, facts[i].place, chosen)
    return None if said is None else _instead(facts, i, b.and_(facts[i].formula, said))


def _weaker(base, chosen: random.Random, facts: list[Fact], i: int) -> list[Fact] | None:
    said = atom(base.graph, facts[i].place, chosen)
    return None if said is None else _instead(facts, i, b.or_(facts[i].formula, said))


def _under(base, chosen: random.Random, facts: list[Fact], i: int) -> list[Fact] | None:
    """Only where something else holds."""
    said = atom(base.graph, facts[i].place, chosen)
    return None if said is None else _instead(facts, i, b.implies(said, facts[i].formula))


def _more(base, chosen: random.Random, facts: list[Fact], i: int) -> list[Fact] | None:
    """One more, at any place."""
    place = chosen.choice(sorted(base.graph.cuts))
    said = atom(base.graph, place, chosen)
    return None if said is None else [*facts, Fact(*place, said)]


def _borrowed(base, chosen: random.Random, facts: list[Fact], i: int) -> list[Fact] | None:
    """A variable of the same sort that is a component elsewhere: another place, function, chain or call."""
    old = _one(variables(facts[i].formula), chosen)
    if old is None:
        return None
    here = {variable_of(c, BITS) for c in components_at(base.graph, facts[i].place)}
    away = {variable_of(c, BITS) for place in base.graph.cuts for c in components_at(base.graph, place)} - here
    fitting = sorted((v for v in away if v.sort == old.sort), key=lambda v: str(v.payload))
    odd = [b.variable(name.format(old.payload, facts[i].function), old.sort) for name in STRANGE]
    new = chosen.choice(fitting) if fitting and chosen.random() < 0.5 else chosen.choice(odd)
    return _instead(facts, i, substitute(facts[i].formula, {old: new}))


def _widened(base, chosen: random.Random, facts: list[Fact], i: int) -> list[Fact] | None:
    """A variable of the same name, but wider or narrower than the component (or a ghost) is."""
    old = _one([v for v in variables(facts[i].formula) if isinstance(v.sort, BitVec)], chosen)
    if old is None or not isinstance(old.sort, BitVec):
        return None
    width = old.sort.width
    wide = b.variable(str(old.payload), BitVec(2 * width))
    narrow = b.variable(str(old.payload), BitVec(width // 2)) if width > 2 else None
    if narrow is not None and chosen.random() < 0.5:
        return _instead(facts, i, substitute(facts[i].formula, {old: b.zext(narrow, width // 2, width)}))
    return _instead(facts, i, substitute(facts[i].formula, {old: b.extract(width - 1, 0, wide, 2 * width)}))


def _quantified(base, chosen: random.Random, facts: list[Fact], i: int) -> list[Fact] | None:
    """A ghost or an object's number instead of a component, or the other way round."""
    there = [v for v in variables(facts[i].formula) if v.sort == BitVec(BITS)]
    old = _one(there, chosen)
    if old is None:
        return None
    known = [v for c in components_at(base.graph, facts[i].place) if (v := variable_of(c, BITS)).sort == old.sort]
    number = b.address(chosen.randrange(3), BITS)
    new: V = chosen.choice([ghost(0, BITS), ghost(1, BITS), number, *known, chosen.choice(NUMBERS)])
    return _instead(facts, i, substitute(facts[i].formula, {old: new}))


def _index(base, chosen: random.Random, facts: list[Fact], i: int) -> list[Fact] | None:
    """An array read at another index, or from another array."""
    read = _one([t for t in reachable([facts[i].formula]) if t.op is Op.SELECT], chosen)
    if read is None:
        return None
    array, index = read.args
    known = [variable_of(c, BITS) for c in components_at(base.graph, facts[i].place)]
    indices: list[V] = [v for v in known if v.sort == BitVec(BITS)]
    assert isinstance(array, Term)
    arrays = [v for v in known if v.sort == array.sort]
    if chosen.random() < 0.6:
        index = chosen.choice([b.add(index, 1, BITS), b.sub(index, 1, BITS), ghost(0, BITS), ghost(1, BITS), 0, *indices])
    elif arrays:
        array = chosen.choice(arrays)
    return _instead(facts, i, substitute(facts[i].formula, {read: b.select(array, index)}))


def _instead(facts: list[Fact], i: int, formula: V) -> list[Fact]:
    return [*facts[:i], replace(facts[i], formula=formula), *facts[i + 1 :]]


def _one(found: Sequence[_T], chosen: random.Random) -> _T | None:
    return chosen.choice(found) if found else None


def _named() -> Iterator[tuple[str, object]]:
    for mutate in (_stronger, _weaker, _under, _more, _borrowed, _widened, _quantified, _index):
        yield mutate.__name__.removeprefix("_"), mutate


OF_FACTS = dict(_named())
