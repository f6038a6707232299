"""What loops leave as it was: values from before the loop, liveness, the allocation counter."""

from __future__ import annotations

from collections.abc import Iterator

from counterpoint.invariants.candidates.protocol import Context
from counterpoint.invariants.guess import Guess, GuessSource, spread_forward
from counterpoint.logic.loop_shape import loop_shapes, passages
from counterpoint.program.types import PointerType
from counterpoint.semantics.components import Base, RegisterValue, Size, variable_of
from counterpoint.semantics.layout import external_base
from counterpoint.term import build
from counterpoint.term.sorts import BOOL, BitVec
from counterpoint.term.term import Term, V

ROUNDS = 4
"""Ways on which an initial value is followed."""


def _guesses(context: Context) -> Iterator[Guess]:
    seeds = list(_on_entry(context))
    yield from seeds
    yield from spread_forward(context.graph, seeds, ROUNDS, context.budget)
    yield from _below_counter(context)


def _on_entry(context: Context) -> Iterator[Guess]:
    """Constants and other components' values on the ways from the start and into loops."""
    for passage in passages(context.graph):
        target, values = passage.way.target, passage.way.values.values
        first: dict[V, Term] = {}
        for variable, value in values.items():
            if isinstance(value, int):
                yield target, _equal(variable, value)
            elif value in first and first[value].sort == variable.sort:
                yield target, _equal(variable, first[value])
            else:
                first.setdefault(value, variable)
    for way in (way for region in context.graph.regions for way in region.ways if not way.leaves):
        for variable, value in way.values.values.items():
            if isinstance(value, int):
                yield way.target, _equal(variable, value)
    for place, loop in loop_shapes(context.graph).items():
        for variable in loop.variables:
            for value in loop.initial(variable):
                if value is not variable:
                    yield place, _equal(variable, value)


def _equal(variable: Term, value: V) -> V:
    if variable.sort == BOOL:
        return build.iff(variable, value)
    return build.eq(variable, value, variable.sort.width) if isinstance(variable.sort, BitVec) else 1


def _below_counter(context: Context) -> Iterator[Guess]:
    """Pointers do not point to objects that do not exist yet: what separates them from what is allocated next."""
    graph = context.graph
    bits = graph.program.layout.pointer_bits
    counter = build.variable("counter", BitVec(bits))
    for place in graph.cuts:
        for component in graph.components(place):
            variable = variable_of(component, bits)
            match component:
                case RegisterValue(_, register) if isinstance(register.type, PointerType):
                    below = build.ult(variable, counter, bits)
                    yield place, below
                    yield place, build.or_(below, build.ule(external_base(bits), variable, bits))
                    yield place, build.ne(variable, 0, bits)
                case Base(number) if graph.points.objects[number].allocation is not None:
                    yield place, build.ult(variable, counter, bits)
                case Size():
                    yield place, build.ule(variable, 1 << (bits - 2), bits)


SOURCE = GuessSource("unchanged", 0, "values from before a loop, and pointers below the allocation counter", _guesses)
