"""Steps from arbitrary states as formulas over the components at their start and unknowns with names of their own.

What abstractions are computed from: when a step ends at a place, what a formula about the state there means before, and
what is known of the unknowns. An unknown's name is its step's; who joins formulas of several steps takes an instance of
each (instance.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import partial

from counterpoint.core.budget import Budget
from counterpoint.core.records import dataclass
from counterpoint.program.types import PointerType
from counterpoint.regions.instance import STATIC, Instance, by_component, placed
from counterpoint.regions.locations import Locations
from counterpoint.regions.place import ERROR, Place
from counterpoint.regions.steps import ArbitraryStep, arbitrary_step, by_variable
from counterpoint.semantics.addresses import address_axioms
from counterpoint.semantics.components import Base, Component, RegisterValue
from counterpoint.semantics.objects import ScalarRecord
from counterpoint.semantics.pointers import mentioned_objects
from counterpoint.term import build
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import variables

MAX_AXIOMS = 40
"""Axioms about arbitrary values that go with one formula, unless more are asked for."""

MAX_PLACED = 8
"""Objects of which a formula says where they may lie; if there are more, it says nothing."""

EVERYTHING = 1 << 30
"""No limit on either."""


@dataclass(frozen=True, slots=True)
class Finished:
    """A formula of a step, and what is known of its unknowns."""

    formula: V
    axioms: tuple[V, ...]


@dataclass(frozen=True, slots=True)
class Passed:
    """A call by contract in a step, on runs where `formula` holds: the values of the callee's components at its entry,
    and at its EXIT, by their variables. All is over the components at the step's start and arbitrary values."""

    callee: str
    formula: V
    before: Mapping[Term, V]
    after: Mapping[Term, V]


@dataclass(frozen=True, slots=True)
class End:
    """Where a step ends (or a call by contract begins), on runs where `formula` holds, after `earlier` calls; `value`
    gives the components there by their variables, None for those without a value. In the step's own terms."""

    earlier: int
    formula: V
    value: Callable[[Term], V | None]


@dataclass(slots=True)
class EncodedSteps:
    """Steps from arbitrary states, made when they are needed."""

    where: Locations
    granules: dict[str, int]
    budget: Budget
    most_axioms: int = MAX_AXIOMS
    most_placed: int = MAX_PLACED
    _steps: dict[Place, ArbitraryStep] = field(default_factory=dict)
    _begin: dict[Place, Instance] = field(default_factory=dict)
    _pointers: dict[Place, tuple[Term, ...]] = field(default_factory=dict)
    _passed: dict[Place, list[Passed]] = field(default_factory=dict)

    def step(self, place: Place) -> ArbitraryStep:
        """The step from any state at the place. Raises OutOfBudget and GranuleConflict."""
        if place not in self._steps:
            self._steps[place] = arbitrary_step(self.where, place, self.granules, self.budget)
            self._begin[place] = Instance(self._steps[place].begin)
        return self._steps[place]

    def is_component(self, place: Place, variable: Term) -> bool:
        """It is a component at the place, not an arbitrary value of the step from there."""
        return variable in self.step(place).begin

    def pointers(self, place: Place) -> tuple[Term, ...]:
        """The components there that are pointers."""
        if place not in self._pointers:
            found = by_variable(self.where, place, self.granules)
            self._pointers[place] = tuple(v for v, c in found.items() if _is_pointer(c))
        return self._pointers[place]

    def ends(self, place: Place, target: Place) -> Iterator[End]:
        """Each exit to the target; calls by contract lead to the callee. At ERROR nothing has a value."""
        step = self.step(place)
        if target == ERROR:
            for earlier, formula in step.step.failing_after():
                yield End(earlier, formula, _nothing)
        for number, exit_ in step.to(target):
            yield End(exit_.earlier, exit_.formula, partial(step.value, number))
        if target[1] == 0 and target[0] in self.where.contracts:
            for number, call in enumerate(step.step.calls):
                if call.callee == target[0]:
                    yield self.entering(place, number)

    def entering(self, place: Place, number: int) -> End:
        """Where the step makes that call by contract."""
        call = self.step(place).step.calls[number]
        return End(number, call.formula, self._by_variable(call.values.before).get)

    def returned(self, place: Place, number: int, allowed: V) -> V:
        """That call by contract came back in an allowed state, if it was made. In the step's own terms."""
        call = self.step(place).step.calls[number]
        return build.implies(call.formula, placed(allowed, self._by_variable(call.values.after).get))

    def _by_variable(self, values: Mapping[Component, V]) -> dict[Term, V]:
        return by_component(values, self.where.program.layout.pointer_bits)

    def passed(self, place: Place) -> list[Passed]:
        """The step's calls by contract, in their order."""
        if place not in self._passed:
            found: list[Passed] = []
            for call in self.step(place).step.calls:
                before, after = self._by_variable(call.values.before), self._by_variable(call.values.after)
                formula, *values = self.renamed(place, [call.formula, *before.values(), *after.values()])
                found.append(
                    Passed(
                        call.callee,
                        formula,
                        dict(zip(before, values[: len(before)], strict=True)),
                        dict(zip(after, values[len(before) :], strict=True)),
                    )
                )
            self._passed[place] = found
        return self._passed[place]

    def inputs(self, place: Place) -> list[tuple[int, Term]]:
        """The step's scalar inputs, in its order: the sites that read them, and its names for them."""
        step = self.step(place)
        read = [r for r in step.step.records if isinstance(r, ScalarRecord) and isinstance(r.value, Term)]
        names = self.renamed(place, [r.value for r in read])
        return [
            (r.site, name) for r, name in zip(read, names, strict=True)
            if isinstance(name, Term) and name.op is Op.VARIABLE
        ]

    def finish(self, place: Place, formula: V) -> Finished:
        """A formula in the step's own terms, over components and unknowns, with what is known of these."""
        world = self.step(place).world
        axioms = self._about(formula, world.axioms)[: self.most_axioms]
        indices = {i for part in (formula, *axioms) for i in mentioned_objects(part)}
        if len(indices) <= self.most_placed:
            axioms += address_axioms(world, indices)
        first, *rest = self.renamed(place, [formula, *axioms])
        return Finished(first, tuple(rest))

    def _about(self, formula: V, axioms: Sequence[V]) -> list[V]:
        """The axioms that share variables with the formula; without a limit on them, also those that do with these."""
        known = set(variables(formula))
        left, found = list(axioms), []
        while True:
            met = [axiom for axiom in left if not known.isdisjoint(variables(axiom))]
            found += met
            if not met or self.most_axioms < EVERYTHING:
                return found
            left = [axiom for axiom in left if axiom not in met]
            known.update(variables(*met))

    def renamed(self, place: Place, formulas: Sequence[V]) -> list[V]:
        """Terms of the step over the components at its start, and unknowns with names of their own."""
        step = self.step(place)
        return self._begin[place].back_with(formulas, partial(_unknown, step))


def _nothing(variable: Term) -> V | None:
    return None


def _unknown(step: ArbitraryStep, symbol: Term) -> Term:
    """A name for a variable or an address of the step's world: no other world's, and one that hides no object."""
    if symbol.op is Op.VARIABLE:
        return build.variable(f"step|{str(symbol.payload).replace('~>', '|')}", symbol.sort)
    assert isinstance(symbol.payload, int)
    thing = step.world.objects[symbol.payload]
    static = thing.code or (thing.is_global and not thing.summary)
    name = f"{STATIC}{thing.origin}" if static else f"step|at {symbol.payload}"
    return build.variable(name, symbol.sort)


def _is_pointer(component: Component) -> bool:
    match component:
        case RegisterValue(_, register):
            return isinstance(register.type, PointerType)
        case Base():
            return True
    return False
