"""Suitable predicates: what a region has to be split by so that no step leads from one half to the target.

The preimage of a target region is the step's condition together with the target's literals, in the values at the
step's end: a weakest precondition for one step. Over the components at the step's start alone (arbitrary values
eliminated) it is an over-approximation, which is what makes a split sound: from a state without it, no step leads to
the target.

Source: thesis, section 3.2. Deviations: substitution instead of versioned variables and a mentions map, since states
are terms; steps may merge paths; inputs are eliminated instead of staying free in the predicate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from counterpoint.analysis.elimination import Eliminated, eliminate
from counterpoint.core.budget import Budget
from counterpoint.paths.at_start import inverse
from counterpoint.paths.cut_graph import Place
from counterpoint.paths.locations import ERROR, Locations
from counterpoint.paths.steps import ArbitraryStep, arbitrary_step, by_variable
from counterpoint.program.types import PointerType
from counterpoint.semantics.addresses import address_axioms
from counterpoint.semantics.components import Base, Component, RegisterValue, variable_of
from counterpoint.semantics.cutpoint import EXIT
from counterpoint.semantics.objects import ScalarRecord
from counterpoint.semantics.pointers import mentioned_objects
from counterpoint.term import build
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import addresses, substitute, substitute_all, variables

MAX_AXIOMS = 40
"""Axioms about arbitrary values that go into a preimage before these are eliminated."""

MAX_PLACED = 8
"""Objects of which a preimage says where they may lie; if there are more, it says nothing."""


@dataclass(frozen=True, slots=True)
class Preimage:
    """From states without `formula` (over components) no step leads to the target; `exact`: from all others one does,
    as far as the step's encoding says. `full` also speaks of the step's arbitrary values, which were eliminated."""

    formula: V
    full: V
    exact: bool


@dataclass(frozen=True, slots=True)
class Crossing:
    """Steps where `formula` holds lead to the target's place, and to states there with those `literals` that hold."""

    formula: V
    literals: tuple[V, ...]


@dataclass(frozen=True, slots=True)
class Finished:
    """A part of a crossing, and what is known of its unknowns."""

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


@dataclass(slots=True)
class Preimages:
    """Steps from arbitrary states, made when they are needed, and the preimages along them."""

    where: Locations
    granules: dict[str, int]
    budget: Budget
    leaves_at: Callable[[Place], V]
    steps: dict[Place, ArbitraryStep] = field(default_factory=dict)
    _over: dict[Place, dict[Term, V]] = field(default_factory=dict)
    _pointers: dict[Place, tuple[Term, ...]] = field(default_factory=dict)
    _known: dict[tuple[Place, Place, frozenset[V], tuple[V, ...]], Preimage] = field(default_factory=dict)
    _said: dict[tuple[Place, Place, V], Finished] = field(default_factory=dict)
    _reached: dict[tuple[Place, Place], list[tuple[int, Finished]]] = field(default_factory=dict)
    _returned: dict[tuple[Place, int, V], Finished] = field(default_factory=dict)
    _passed: dict[Place, list[Passed]] = field(default_factory=dict)

    def step(self, place: Place) -> ArbitraryStep:
        """The step from any state at the place. Raises OutOfBudget and GranuleConflict."""
        if place not in self.steps:
            self.steps[place] = arbitrary_step(self.where, place, self.granules, self.budget)
            self._over[place] = inverse(self.steps[place].begin)
        return self.steps[place]

    def of(self, place: Place, target: Place, literals: Sequence[V]) -> Preimage:
        """Of the states at `target` with these literals, under the step from `place`."""
        key = place, target, frozenset(literals), self._contracts(place, target)
        if key not in self._known:
            crossing = self.crossing(place, target, literals)
            full = build.conjunction([crossing.formula, *crossing.literals])
            gone = self.eliminated(place, full)
            self._known[key] = Preimage(gone.formula, full, gone.exact)
        return self._known[key]

    def eliminated(self, place: Place, formula: V) -> Eliminated:
        """What follows from the formula over the components at the place alone."""
        left = [variable for variable in variables(formula) if not self.is_component(place, variable)]
        return eliminate(formula, set(left)) if left else Eliminated(formula, True)

    def is_component(self, place: Place, variable: Term) -> bool:
        """It is a component at the place, not an arbitrary value of the step from there."""
        return variable in self.step(place).begin

    def pointers(self, place: Place) -> tuple[Term, ...]:
        """The components there that are pointers."""
        if place not in self._pointers:
            found = by_variable(self.where, place, self.granules)
            self._pointers[place] = tuple(v for v, c in found.items() if _is_pointer(c))
        return self._pointers[place]

    def crossing(self, place: Place, target: Place, literals: Sequence[V], free: int = -1) -> Crossing:
        """The step from any state at `place` to states with these literals at `target`; over the components at
        `place` and arbitrary values, which have names of their own. Nothing is assumed of the call number `free`."""
        said = [self._literal(place, target, literal) for literal in literals]
        calls = range(self.most_calls(place, target))
        returned = [self._return(place, n) if n != free else Finished(1, ()) for n in calls]
        axioms = dict.fromkeys(axiom for part in (*said, *returned) for axiom in part.axioms)
        ends: list[V] = []
        for earlier, part in self._arrivals(place, target):
            axioms |= dict.fromkeys(part.axioms)
            ends.append(build.conjunction([part.formula, *(back.formula for back in returned[:earlier])]))
        return Crossing(
            build.conjunction([build.disjunction(ends), *axioms]), tuple(part.formula for part in said)
        )

    def most_calls(self, place: Place, target: Place) -> int:
        """Calls by contract that may come before an end of the step at the target."""
        return max((earlier for earlier, _ in self._arrivals(place, target)), default=0)

    def passed(self, place: Place) -> list[Passed]:
        """The step's calls by contract, in their order."""
        if place not in self._passed:
            step = self.step(place)
            bits = self.where.program.layout.pointer_bits
            found: list[Passed] = []
            for call in step.step.calls:
                before = {variable_of(c, bits): value for c, value in call.values.before.items()}
                after = {variable_of(c, bits): value for c, value in call.values.after.items()}
                formula, *values = self._renamed(step, [call.formula, *before.values(), *after.values()])
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
        names = self._renamed(step, [r.value for r in read])
        return [
            (r.site, name) for r, name in zip(read, names, strict=True)
            if isinstance(name, Term) and name.op is Op.VARIABLE
        ]

    def _contracts(self, place: Place, target: Place) -> tuple[V, ...]:
        """What is assumed of the calls before the target."""
        calls = self.step(place).step.calls[: self.most_calls(place, target)]
        return tuple(self.leaves_at((call.callee, EXIT)) for call in calls)

    def _arrivals(self, place: Place, target: Place) -> list[tuple[int, Finished]]:
        """When the step ends at the target, by the number of calls before that."""
        key = place, target
        if key not in self._reached:
            step = self.step(place)
            ends: dict[int, list[V]] = {}
            for earlier, formula, _ in self._ends(step, target):
                ends.setdefault(earlier, []).append(formula)
            self._reached[key] = [
                (earlier, self._finish(step, build.disjunction(formulas))) for earlier, formulas in sorted(ends.items())
            ]
        return self._reached[key]

    def _literal(self, place: Place, target: Place, literal: V) -> Finished:
        """The literal at the ends of all ways to the target."""
        key = place, target, literal
        if key not in self._said:
            step = self.step(place)
            ends = list(self._ends(step, target))
            formula = build.conjunction([build.implies(c, self._in(values, literal)) for _, c, values in ends])
            self._said[key] = self._finish(step, formula)
        return self._said[key]

    def _return(self, place: Place, number: int) -> Finished:
        """The call of that number came back in a state that the callee's EXIT regions allow."""
        call = self.step(place).step.calls[number]
        allowed = self.leaves_at((call.callee, EXIT))
        key = place, number, allowed
        if key not in self._returned:
            bits = self.where.program.layout.pointer_bits
            after = {variable_of(c, bits): value for c, value in call.values.after.items()}
            formula = build.implies(call.formula, self._in(after.get, allowed))
            self._returned[key] = self._finish(self.step(place), formula)
        return self._returned[key]

    def _finish(self, step: ArbitraryStep, formula: V) -> Finished:
        """A formula of the step over components and unknowns with names of their own, with what is known of these."""
        strange = set(variables(formula))
        axioms = [a for a in step.world.axioms if not strange.isdisjoint(variables(a))][:MAX_AXIOMS]
        indices = {i for part in (formula, *axioms) for i in mentioned_objects(part)}
        if len(indices) <= MAX_PLACED:
            axioms += address_axioms(step.world, indices)
        first, *rest = self._renamed(step, [formula, *axioms])
        return Finished(first, tuple(rest))

    def _renamed(self, step: ArbitraryStep, formulas: Sequence[V]) -> list[V]:
        """Over the components at the start, and unknowns with names of their own."""
        over = substitute_all(formulas, self._over[step.place])
        return substitute_all(over, self._renaming(step, over))

    @staticmethod
    def _renaming(step: ArbitraryStep, formulas: Sequence[V]) -> dict[Term, V]:
        """Unknowns of the step's world get names that are no other world's, and hide none of its objects."""
        found: dict[Term, V] = {}
        for variable in variables(*formulas):
            if variable not in step.begin:
                found[variable] = build.variable(f"step|{str(variable.payload).replace('~>', '|')}", variable.sort)
        for address in addresses(*formulas):
            found[address] = build.variable(f"step|at {address.payload}", address.sort)
        return found

    def _ends(self, step: ArbitraryStep, target: Place) -> Iterator[tuple[int, V, Callable[[Term], V | None]]]:
        """(calls before, condition, values of components) of each way to the target; calls by contract lead to the
        callee."""
        if target == ERROR:
            for earlier, formula in step.step.failing_after():
                yield earlier, formula, lambda variable: None
        for number, way in step.to(target):
            yield way.earlier, way.formula, partial(step.value, number)
        if target[1] == 0 and target[0] in self.where.contracts:
            bits = self.where.program.layout.pointer_bits
            for number, call in enumerate(step.step.calls):
                if call.callee == target[0]:
                    before = {variable_of(c, bits): value for c, value in call.values.before.items()}
                    yield number, call.formula, before.get

    def _in(self, values: Callable[[Term], V | None], literal: V) -> V:
        """The literal where components have these values; what has none is arbitrary."""
        found: dict[Term, V] = {}
        for variable in variables(literal):
            value = values(variable)
            found[variable] = build.variable(f"any.{variable.payload}", variable.sort) if value is None else value
        return substitute(literal, found)


def _is_pointer(component: Component) -> bool:
    match component:
        case RegisterValue(_, register):
            return isinstance(register.type, PointerType)
        case Base():
            return True
    return False
