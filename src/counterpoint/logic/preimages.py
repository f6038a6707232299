"""Suitable predicates: what a region has to be split by so that no step leads from one half to the target.

The preimage of a target region is the step's condition together with the target's literals, in the values at the
step's end: a weakest precondition for one step. Over the components at the step's start alone (arbitrary values
eliminated) it is an over-approximation, which is what makes a split sound: from a state without it, no step leads to
the target.

Source: thesis, section 3.2. Deviations: substitution instead of versioned variables and a mentions map, since states
are terms; steps may merge paths; inputs are eliminated instead of staying free in the predicate.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field, replace

from counterpoint.core.records import dataclass
from counterpoint.logic.elimination import Eliminated, eliminate
from counterpoint.regions.cut_graph import Place
from counterpoint.regions.encoded_steps import EncodedSteps, End, Finished
from counterpoint.regions.instance import placed
from counterpoint.semantics.cutpoint import EXIT
from counterpoint.term import build
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import V
from counterpoint.term.walk import variables


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


@dataclass(slots=True)
class Preimages:
    """The preimages along steps. `leaves_at` says what may be assumed of the state at a callee's EXIT."""

    encoded: EncodedSteps
    leaves_at: Callable[[Place], V]
    _known: dict[tuple[Place, Place, frozenset[V], tuple[V, ...]], Preimage] = field(default_factory=dict)
    _said: dict[tuple[Place, Place, V], Finished] = field(default_factory=dict)
    _reached: dict[tuple[Place, Place], list[tuple[int, Finished]]] = field(default_factory=dict)
    _returned: dict[tuple[Place, int, V], Finished] = field(default_factory=dict)

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
        left = [variable for variable in variables(formula) if not self.encoded.is_component(place, variable)]
        return eliminate(formula, set(left)) if left else Eliminated(formula, True)

    def crossing(self, place: Place, target: Place, literals: Sequence[V], free: int = -1) -> Crossing:
        """The step from any state at `place` to states with these literals at `target`; over the components at
        `place` and arbitrary values, which have names of their own. Nothing is assumed of the call number `free`."""
        said = [self.literal(place, target, literal) for literal in literals]
        calls = range(self.most_calls(place, target))
        returned = [self.returned(place, n) if n != free else Finished(1, ()) for n in calls]
        axioms = dict.fromkeys(axiom for part in (*said, *returned) for axiom in part.axioms)
        ends: list[V] = []
        for earlier, part in self.arrivals(place, target):
            axioms |= dict.fromkeys(part.axioms)
            ends.append(build.conjunction([part.formula, *(back.formula for back in returned[:earlier])]))
        return Crossing(
            build.conjunction([build.disjunction(ends), *axioms]), tuple(part.formula for part in said)
        )

    def most_calls(self, place: Place, target: Place) -> int:
        """Calls by contract that may come before an end of the step at the target."""
        return max((earlier for earlier, _ in self.arrivals(place, target)), default=0)

    def _contracts(self, place: Place, target: Place) -> tuple[V, ...]:
        """What is assumed of the calls before the target."""
        calls = self.encoded.step(place).step.calls[: self.most_calls(place, target)]
        return tuple(self.leaves_at((call.callee, EXIT)) for call in calls)

    def arrivals(self, place: Place, target: Place) -> list[tuple[int, Finished]]:
        """When the step ends at the target, by the number of calls before that."""
        key = place, target
        if key not in self._reached:
            ends: dict[int, list[V]] = {}
            for end in self._ends(place, target):
                ends.setdefault(end.earlier, []).append(end.formula)
            self._reached[key] = [
                (earlier, self.encoded.finish(place, build.disjunction(formulas)))
                for earlier, formulas in sorted(ends.items())
            ]
        return self._reached[key]

    def literal(self, place: Place, target: Place, literal: V) -> Finished:
        """The literal at the ends of all ways to the target."""
        key = place, target, literal
        if key not in self._said:
            ends = self._ends(place, target)
            formula = build.conjunction([build.implies(end.formula, placed(literal, end.value)) for end in ends])
            self._said[key] = self.encoded.finish(place, formula)
        return self._said[key]

    def _ends(self, place: Place, target: Place) -> list[End]:
        """The ends of the step at the target, of which one is meant. Those at exits exclude each other; a run may make
        several calls, so that an unknown says which of them it is."""
        ends = list(self.encoded.ends(place, target))
        if target[1] != 0 or len(ends) < 2:
            return ends
        which, width = f"which call of {target[0]}", len(ends).bit_length()
        meant = build.variable(which, BitVec(width))
        return [
            replace(end, formula=build.and_(end.formula, build.eq(meant, number, width)))
            for number, end in enumerate(ends)
        ]

    def returned(self, place: Place, number: int) -> Finished:
        """The call of that number came back in a state that the callee's EXIT regions allow."""
        call = self.encoded.step(place).step.calls[number]
        allowed = self.leaves_at((call.callee, EXIT))
        key = place, number, allowed
        if key not in self._returned:
            formula = self.encoded.returned(place, number, allowed)
            self._returned[key] = self.encoded.finish(place, formula)
        return self._returned[key]
