"""Facts about all cells that a loop has been at, or has yet to get to.

The distinguished-cell abstraction: one ghost index stands for every cell. Ranges of cells come from the counters of
loops, properties of cells from stores, tests and checks anywhere (invariants/array_cells.py); a candidate is a
property of the cells of a range.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from counterpoint.core.budget import Budget
from counterpoint.invariants.array_cells import Index, accesses, indices, properties, without_invalid_reads, written
from counterpoint.invariants.candidates.induction_variables import Counter, counters
from counterpoint.invariants.candidates.protocol import Context
from counterpoint.invariants.guess import Guess, GuessSource, spread_backward, spread_forward
from counterpoint.logic.atoms import atoms
from counterpoint.logic.loop_shape import LoopShape, leaves, loop_shapes
from counterpoint.regions.cut_graph import CutGraph, Place
from counterpoint.semantics.facts import ghost
from counterpoint.term import build
from counterpoint.term.sorts import ArraySort, BitVec
from counterpoint.term.term import Term, V
from counterpoint.term.walk import reachable, substitute, variables

ROUNDS = 3
"""Ways on which a property is followed to other loops, and back."""

MAX_PROPERTIES = 60
"""Properties of one place."""

UPDATES = 2
"""How often what is known of cells goes through all loops that update them."""

MAX_KNOWN = 20
"""Values of cells that updates are applied to."""

MAX_FLAGGED = 12
"""Properties of one place that may depend on a flag."""

MAX_RANGES = 16
"""Ranges of one place."""


def _guesses(context: Context) -> Iterator[Guess]:
    graph = context.graph
    known = _properties(graph, context.budget)
    ranges = _ranges(graph)
    for place, loop in loop_shapes(graph).items():
        for fact in known[place][:MAX_PROPERTIES]:
            for cells in ranges[place]:
                yield place, build.implies(cells, fact)
            yield place, fact
        for flag in _flags(loop):
            for fact in known[place][:MAX_FLAGGED]:
                for cells in ranges[place][:2]:
                    yield place, build.or_(flag, build.implies(cells, fact))


def _flags(loop: LoopShape) -> list[V]:
    """That a variable which begins as a constant has another value: what a search that sets a flag has found."""
    found: list[V] = []
    for variable in loop.variables:
        if variable not in loop.modified or not isinstance(variable.sort, BitVec):
            continue
        width, starts = variable.sort.width, loop.initial(variable)
        news = [leaf for p in loop.rounds for leaf in leaves(p.way.values.values.get(variable, variable)) or ()]
        if len(starts) == 1 and isinstance(starts[0], int) and any(isinstance(leaf, int) for leaf in news):
            found.append(build.ne(variable, starts[0], width))
    return found[:3]


def _properties(graph: CutGraph, budget: Budget) -> dict[Place, list[V]]:
    """Properties of cell ghost 0 at each loop head: its own, those of others that can be said there."""
    seeds = [(region.start, fact) for region in graph.regions for fact in properties(graph, region)]
    seeds += _updated(graph)
    backward = spread_backward(graph, seeds, ROUNDS, budget, guarded=False)
    everywhere = [*seeds, *backward, *spread_forward(graph, seeds, ROUNDS, budget)]
    found: dict[Place, dict[V, None]] = {place: {} for place in loop_shapes(graph)}
    for place, fact in everywhere:  # a loop's own come first
        if place in found:
            found[place][fact] = None
    for _, fact in seeds:  # arrays keep their names, and so do registers
        for place in found:
            found[place][fact] = None
    return {place: _sayable(graph, place, list(facts)) for place, facts in found.items()}


def _updated(graph: CutGraph) -> list[Guess]:
    """What cells are after loops that compute them from what they were: `a[i] = f(a[i])` after `a[i] = e`."""
    cell = ghost(0, graph.program.layout.pointer_bits)
    stores = [(region.start, *one) for region in graph.regions for one in written(graph, region)]
    known: dict[tuple[Term, V], None] = {}
    found: dict[Guess, None] = {}
    for place, array, value in stores * UPDATES:
        assert isinstance(array.sort, ArraySort)
        old = build.select(array, cell)
        if old not in reachable((value,)):
            known[array, value] = None
            continue
        for other, before in list(known)[:MAX_KNOWN]:
            if other is array:
                after = substitute(value, {old: before})
                known[array, after] = None
                found[place, build.eq(old, after, array.sort.element)] = None
    return list(found)


def _sayable(graph: CutGraph, place: Place, facts: list[V]) -> list[V]:
    allowed = {ghost(0, graph.program.layout.pointer_bits), *loop_shapes(graph)[place].variables}
    return [fact for fact in facts if all(v in allowed for v in variables(fact))]


# ---------------------------------------------------------------- ranges


def _ranges(graph: CutGraph) -> dict[Place, list[V]]:
    """Conditions on ghost 0, by loop head: the cells behind the loop, those ahead of it, and all of them."""
    shapes = loop_shapes(graph)
    whole: dict[V, None] = {}
    own: dict[Place, dict[V, None]] = {}
    for place, loop in shapes.items():
        found = own[place] = {}
        for counter in counters(loop):
            for index in _indices_of(graph, loop, counter):
                found.update((cells, None) for cells in _around(graph, loop, counter, index))
                whole.update((cells, None) for cells in _all_of(graph, loop, counter, index))
    result: dict[Place, list[V]] = {}
    for place in shapes:
        outer = [r for other, shape in shapes.items() if other != place and _within(place, shape) for r in own[other]]
        ordered = dict.fromkeys([*own[place], *outer, *whole])
        result[place] = _sayable(graph, place, list(ordered))[:MAX_RANGES]
    return result


def _within(place: Place, loop: LoopShape) -> bool:
    return place[0] == loop.place[0] and place[1] in loop.blocks


def _indices_of(graph: CutGraph, loop: LoopShape, counter: Counter) -> list[Index]:
    """The indices of the loop's accesses that are affine in the counter, over components; in loops inside of it, where
    these begin."""
    bits, shapes = graph.program.layout.pointer_bits, loop_shapes(graph)
    found: dict[Index, None] = {}
    for region in loop.regions:
        values = [value for way in region.ways for value in (way.formula, *way.values.values.values())]
        values += [failure.formula for failure in region.failures]
        used = dict.fromkeys(index for _, index in accesses(without_invalid_reads(values), bits))
        begins = [_beginning(shape) for shape in _inside(loop, region.start, shapes)]
        for term in [term for term in region.start_values.back_all(used) if term is not None]:
            for begin in begins:
                term = substitute(term, begin)
            for index in indices(term):
                if index.x is counter.variable:
                    found[index] = None
    return list(found)[:4]


def _inside(loop: LoopShape, place: Place, shapes: Mapping[Place, LoopShape]) -> list[LoopShape]:
    """The loops in the loop that the place is in, the inner ones first: where they begin may hang on the outer."""
    found = [shape for shape in shapes.values() if shape is not loop and _within(place, shape)]
    return sorted((shape for shape in found if _within(shape.place, loop)), key=lambda shape: len(shape.blocks))


def _beginning(loop: LoopShape) -> dict[Term, V]:
    """The loop's counters that have one value at first, with it."""
    firsts = ((counter.variable, loop.initial(counter.variable)) for counter in counters(loop))
    return {variable: first[0] for variable, first in firsts if len(first) == 1}


def _around(graph: CutGraph, loop: LoopShape, counter: Counter, index: Index) -> Iterator[V]:
    """The cells that the counter has been at, and those that it will be at, as long as it does not turn round.

    Where indices fall they are compared with the last one visited: the next one may be -1.
    """
    bits, steps = graph.program.layout.pointer_bits, counter.constants
    cell, rising = ghost(0, bits), _rising(counter, index)
    if rising is None or steps is None:
        return
    last = index.at(build.sub(index.x, counter.steps[0], counter.width))
    behind = build.ult(cell, index.term, bits) if rising else build.ule(last, cell, bits)
    starts = [index.at(first) for first in loop.initial(counter.variable)]
    for start in starts:
        yield build.and_(behind, build.ule(start, cell, bits) if rising else build.ule(cell, start, bits))
    yield behind
    ahead = build.ule(index.term, cell, bits) if rising else build.ult(cell, last, bits)
    for end in _ends(loop, counter):
        stop = index.at(end)
        yield build.and_(ahead, build.ult(cell, stop, bits) if rising else build.ule(stop, cell, bits))
    yield ahead


def _all_of(graph: CutGraph, loop: LoopShape, counter: Counter, index: Index) -> Iterator[V]:
    """The cells from the first one to where the loop's condition ends it."""
    bits = graph.program.layout.pointer_bits
    cell, rising = ghost(0, bits), _rising(counter, index)
    if rising is None:
        return
    for end in _ends(loop, counter):
        for first in loop.initial(counter.variable):
            start, stop = index.at(first), index.at(end)
            if rising:
                yield build.and_(build.ule(start, cell, bits), build.ult(cell, stop, bits))
            else:
                before = index.at(build.sub(end, counter.steps[0], counter.width))
                for low in (stop, before):
                    yield build.and_(build.ule(low, cell, bits), build.ule(cell, start, bits))


def _rising(counter: Counter, index: Index) -> bool | None:
    steps = counter.constants
    if not steps:
        return None
    if all(step >= 0 for step in steps):
        return index.slope > 0
    return index.slope < 0 if all(step <= 0 for step in steps) else None


def _ends(loop: LoopShape, counter: Counter) -> list[V]:
    """What the loop's conditions compare the counter with, as far as the loop keeps it."""
    x, found = counter.variable, dict[V, None]()
    for region in loop.regions:
        tests = list(atoms([way.formula for way in region.ways]))
        for atom in region.start_values.back_all(tests):
            if isinstance(atom, Term) and atom.payload == counter.width and len(atom.args) == 2:
                both = (atom.args, atom.args[::-1])
                found |= dict.fromkeys(other for one, other in both if one is x and loop.keeps(other))
    return list(found)[:3]


SOURCE = GuessSource(
    "array_prefix", 3, "properties of the cells behind and ahead of loops (distinguished cell)", _guesses, 400
)
