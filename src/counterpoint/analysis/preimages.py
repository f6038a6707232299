"""Suitable predicates: what a region has to be split by so that no step leads from one half to the target.

The preimage of a target region is the step's condition together with the target's literals, in the values at the
step's end: a weakest precondition for one step. Over the components at the step's start alone (arbitrary values
eliminated) it is an over-approximation, which is what makes a split sound: from a state without it, no step leads to
the target.

Source: thesis, section 3.2. Deviations: substitution instead of versioned variables and a mentions map, since states
are terms; steps may merge paths; inputs are eliminated instead of staying free in the predicate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

from counterpoint.analysis.elimination import eliminate
from counterpoint.core.budget import Budget
from counterpoint.paths.at_start import inverse
from counterpoint.paths.cut_graph import Place
from counterpoint.paths.locations import ERROR, Locations
from counterpoint.paths.steps import ArbitraryStep, arbitrary_step
from counterpoint.semantics.components import variable_of
from counterpoint.semantics.cutpoint import EXIT
from counterpoint.term import build
from counterpoint.term.term import Term, V
from counterpoint.term.walk import addresses, substitute, substitute_all, variables

MAX_AXIOMS = 40
"""Axioms about arbitrary values that go into a preimage before these are eliminated."""


@dataclass(frozen=True, slots=True)
class Preimage:
    """From states without `formula` (over components) no step leads to the target; `exact`: from all others one does,
    as far as the step's encoding says."""

    formula: V
    exact: bool


@dataclass(frozen=True, slots=True)
class Crossing:
    """Steps where `formula` holds lead to the target's place, and to states there with those `literals` that hold."""

    formula: V
    literals: tuple[V, ...]


@dataclass(slots=True)
class Preimages:
    """Steps from arbitrary states, made when they are needed, and the preimages along them."""

    where: Locations
    granules: dict[str, int]
    budget: Budget
    leaves_at: Callable[[Place], V]
    steps: dict[Place, ArbitraryStep] = field(default_factory=dict)
    _over: dict[Place, dict[Term, V]] = field(default_factory=dict)
    _known: dict[tuple[Place, Place, frozenset[V]], Preimage] = field(default_factory=dict)

    def step(self, place: Place) -> ArbitraryStep:
        """The step from any state at the place. Raises OutOfBudget and GranuleConflict."""
        if place not in self.steps:
            self.steps[place] = arbitrary_step(self.where, place, self.granules, self.budget)
            self._over[place] = inverse(self.steps[place].begin)
        return self.steps[place]

    def of(self, place: Place, target: Place, literals: Sequence[V]) -> Preimage:
        """Of the states at `target` with these literals, under the step from `place`."""
        key = place, target, frozenset(literals)
        if key not in self._known:
            crossing = self.crossing(place, target, literals)
            self._known[key] = self._over_components(place, build.conjunction([crossing.formula, *crossing.literals]))
        return self._known[key]

    def crossing(self, place: Place, target: Place, literals: Sequence[V]) -> Crossing:
        """The step from any state at `place` to states with these literals at `target`; over the components at
        `place` and arbitrary values."""
        step = self.step(place)
        ends = [(formula, values) for formula, values in self._ends(step, target)]
        reached = build.and_(build.disjunction([formula for formula, _ in ends]), self._returned(step))
        conditions = [
            build.conjunction([build.implies(f, self._in(values, literal)) for f, values in ends])
            for literal in literals
        ]
        strange = {v for condition in (reached, *conditions) for v in variables(condition)}
        axioms = [a for a in step.world.axioms if not strange.isdisjoint(variables(a))][:MAX_AXIOMS]
        first, *rest = substitute_all([build.conjunction([reached, *axioms]), *conditions], self._over[place])
        return Crossing(first, tuple(rest))

    def _over_components(self, place: Place, formula: V) -> Preimage:
        begin = self.steps[place].begin
        for address in addresses(formula):
            formula = substitute(formula, {address: build.variable(f"at.{address.payload}", address.sort)})
        left = [v for v in variables(formula) if v not in begin]
        if not left:
            return Preimage(formula, True)
        gone = eliminate(formula, set(left))
        return Preimage(gone.formula, gone.exact)

    def _ends(self, step: ArbitraryStep, target: Place) -> Iterator[tuple[V, Callable[[Term], V | None]]]:
        """(condition, values of components) of each way to the target; calls by contract lead to the callee."""
        if target == ERROR:
            yield build.disjunction(step.step.failing), lambda variable: None
        for number, way in step.to(target):
            yield way.formula, partial(step.value, number)
        if target[1] == 0 and target[0] in self.where.contracts:
            bits = self.where.program.layout.pointer_bits
            for call in step.step.calls:
                if call.callee == target[0]:
                    before = {variable_of(c, bits): value for c, value in call.values.before.items()}
                    yield call.formula, before.get

    def _in(self, values: Callable[[Term], V | None], literal: V) -> V:
        """The literal where components have these values; what has none is arbitrary."""
        found: dict[Term, V] = {}
        for variable in variables(literal):
            value = values(variable)
            found[variable] = build.variable(f"any.{variable.payload}", variable.sort) if value is None else value
        return substitute(literal, found)

    def _returned(self, step: ArbitraryStep) -> V:
        """Each call by contract came back in a state that the callee's EXIT regions allow."""
        bits = self.where.program.layout.pointer_bits
        found: list[V] = []
        for call in step.step.calls:
            after = {variable_of(c, bits): value for c, value in call.values.after.items()}
            found.append(build.implies(call.formula, self._in(after.get, self.leaves_at((call.callee, EXIT)))))
        return build.conjunction(found)
