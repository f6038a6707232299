"""Suitable predicates: what a region has to be split by so that no step leads from one half to the target.

The preimage of a target region is the step's condition together with the target's literals, in the values at the
step's end: a weakest precondition for one step. Over the components at the step's start alone (arbitrary values
eliminated) it is an over-approximation, which is what makes a split sound: from a state without it, no step leads to
the target.

Source: thesis, section 3.2. Deviations: substitution instead of versioned variables and a mentions map, since states
are terms; steps may merge paths; inputs are eliminated instead of staying free in the predicate.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from counterpoint.analysis.elimination import eliminate
from counterpoint.analysis.region_graph import Region
from counterpoint.core.budget import Budget
from counterpoint.paths.at_start import inverse
from counterpoint.paths.cut_graph import Place
from counterpoint.paths.locations import ERROR, Locations
from counterpoint.paths.steps import ArbitraryStep, arbitrary_step
from counterpoint.semantics.components import variable_of
from counterpoint.semantics.cutpoint import EXIT
from counterpoint.term import build
from counterpoint.term.term import Term, V
from counterpoint.term.walk import addresses, substitute, variables

MAX_AXIOMS = 40
"""Axioms about arbitrary values that go into a preimage before these are eliminated."""


@dataclass(frozen=True, slots=True)
class Preimage:
    """From states without `formula` (over components) no step leads to the target. `full` also speaks of the step's
    arbitrary values; `exact` says that `formula` holds only where some values of them make `full` hold."""

    formula: V
    full: V
    exact: bool


@dataclass(slots=True)
class Preimages:
    """Steps from arbitrary states, made when they are needed, and the preimages along them."""

    where: Locations
    granules: dict[str, int]
    budget: Budget
    leaves_at: Callable[[Place], V]
    steps: dict[Place, ArbitraryStep] = field(default_factory=dict)
    _over: dict[Place, dict[Term, V]] = field(default_factory=dict)
    _known: dict[tuple[Place, int], Preimage] = field(default_factory=dict)

    def step(self, place: Place) -> ArbitraryStep:
        """The step from any state at the place. Raises OutOfBudget and GranuleConflict."""
        if place not in self.steps:
            self.steps[place] = arbitrary_step(self.where, place, self.granules, self.budget)
            self._over[place] = inverse(self.steps[place].begin)
        return self.steps[place]

    def of(self, place: Place, target: Region[object]) -> Preimage:
        """The preimage of the target under the step from `place`."""
        key = place, target.number
        if key not in self._known:
            self._known[key] = self._preimage(place, target)
        return self._known[key]

    def _preimage(self, place: Place, target: Region[object]) -> Preimage:
        step = self.step(place)
        reached = self._reached(step, target)
        unknown = [v for v in variables(reached)]
        strange = set(unknown)
        axioms = [a for a in step.world.axioms if not strange.isdisjoint(variables(a))][:MAX_AXIOMS]
        over = substitute(build.conjunction([reached, *axioms]), self._over[place])
        for address in addresses(over):
            over = substitute(over, {address: build.variable(f"at.{address.payload}", address.sort)})
        left = [v for v in variables(over) if v not in step.begin]
        if not left:
            return Preimage(over, over, True)
        gone = eliminate(over, set(left))
        return Preimage(gone.formula, over, gone.exact)

    def _reached(self, step: ArbitraryStep, target: Region[object]) -> V:
        """The runs of the step that end in the target; calls by contract leave the callee in one of its last regions."""
        if target.place == ERROR:
            return build.disjunction(step.step.failing)
        literals = target.literals()
        found: list[V] = []
        for number, way in step.to(target.place):
            needed = {v: step.value(number, v) for literal in literals for v in variables(literal)}
            known = {v: self._any(v) if value is None else value for v, value in needed.items()}
            found.append(build.conjunction([way.formula, *(substitute(literal, known) for literal in literals)]))
        if target.place[1] == 0 and target.place[0] in self.where.contracts:
            bits = self.where.program.layout.pointer_bits
            for call in step.step.calls:
                if call.callee == target.place[0]:
                    before = {variable_of(c, bits): value for c, value in call.values.before.items()}
                    known = {v: before.get(v, self._any(v)) for literal in literals for v in variables(literal)}
                    found.append(
                        build.conjunction([call.formula, *(substitute(literal, known) for literal in literals)])
                    )
        return build.and_(build.disjunction(found), self._returned(step))

    def _returned(self, step: ArbitraryStep) -> V:
        """Each call by contract came back in a state that the callee's EXIT regions allow."""
        bits = self.where.program.layout.pointer_bits
        found: list[V] = []
        for call in step.step.calls:
            after = {variable_of(c, bits): value for c, value in call.values.after.items()}
            allowed = self.leaves_at((call.callee, EXIT))
            known = {v: after.get(v, self._any(v)) for v in variables(allowed)}
            found.append(build.implies(call.formula, substitute(allowed, known)))
        return build.conjunction(found)

    @staticmethod
    def _any(variable: Term) -> Term:
        return build.variable(f"any.{variable.payload}", variable.sort)
