"""From a program and predicates to a Boolean program.

Source: Ball, Majumdar, Millstein, Rajamani (PLDI 2001), sections 4 and 5: the guard of an edge is `assume(!E)`, E the
cubes over the source's predicates that exclude it; a predicate p at the target becomes choose(cubes that imply p after
the edge, cubes that imply !p after it); cubes are prime and short, and only predicates in the cone of influence are in
them; a predicate that nothing touches is copied. Deviations: what p means before an edge is computed from the
encoding of the step (regions/encoded_steps.py) instead of Morris' axiom of assignment, so that no alias analysis
comes in here; the guard is assumed in all implications of its edge; results of calls are inputs of the caller's cubes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import field

from counterpoint.core.records import dataclass
from counterpoint.engines.predicates.graph.edges import Edge, Precision
from counterpoint.engines.predicates.slam.cubes import implicants
from counterpoint.engines.predicates.slam.implications import Implications, Question
from counterpoint.engines.predicates.slam.naming import named_variables
from counterpoint.engines.predicates.slam.program import FALSE, TRUE, BooleanProgram, Choice, Cubes, Transition
from counterpoint.regions.cut_graph import START, Place
from counterpoint.regions.encoded_steps import EncodedSteps, End, Finished
from counterpoint.regions.instance import by_component, placed
from counterpoint.regions.locations import ERROR, Locations, following
from counterpoint.semantics.cutpoint import EXIT
from counterpoint.term import build
from counterpoint.term.term import Term, V
from counterpoint.term.walk import conjuncts, variables

LARGEST_CUBE = 3
"""Literals of a cube, as in PLDI 2001."""


@dataclass(frozen=True, slots=True)
class _Moment:
    """Where a step ends, or enters a callee, after the first `earlier` calls: on runs with `guard`."""

    edge: Edge
    earlier: int
    ends: tuple[End, ...]
    guard: Finished

    def after(self, encoded: EncodedSteps, predicate: V) -> Finished:
        """The predicate at the end. Ends exclude each other."""
        first, *rest = self.ends
        formula = placed(predicate, first.value)
        for end in rest:
            there, inside = placed(predicate, end.value), end.formula
            formula = build.or_(build.and_(inside, there), build.and_(build.not_(inside), formula))
        return encoded.finish(self.edge.source, formula)


@dataclass(slots=True)
class Abstraction:
    """Makes Boolean programs of one program, for predicates that change; answers and formulas are remembered."""

    encoded: EncodedSteps
    largest: int = LARGEST_CUBE
    implications: Implications = field(default_factory=Implications)
    _moments: dict[Place, list[_Moment]] = field(default_factory=dict)
    _after: dict[tuple[Edge, int, V], Finished] = field(default_factory=dict)
    _done: dict[tuple[object, ...], Transition] = field(default_factory=dict)

    def program(self, precision: Precision, labels: Mapping[V, str] | None = None) -> BooleanProgram:
        """The Boolean program over these predicates (over the components at their places). `labels` name some of them.

        Raises OutOfBudget, GranuleConflict, and SolverError.
        """
        where = self.encoded.where
        predicates = {place: _distinct(precision.get(place, ())) for place in places(where)}
        procedures, tracked = named_variables(where, predicates, labels or {})
        impossible = {place: self._impossible(found) for place, found in predicates.items()}
        calls: dict[Place, tuple[str, ...]] = {}
        transitions: dict[Place, tuple[Transition, ...]] = {}
        for place in predicates:
            moments = self._moments_from(place)
            made = self.encoded.step(place).step.calls if moments else []
            calls[place] = tuple(call.callee for call in made)
            inputs, axioms = self._inputs(place, predicates)
            limits = [len(predicates[place])]
            for call in made:
                limits.append(limits[-1] + len(predicates[call.callee, EXIT]))
            found = [
                self._transition(m, inputs[: limits[m.earlier]], axioms, limits, predicates, impossible)
                for m in moments
            ]
            transitions[place] = tuple(t for t in found if t.blocked != TRUE)
        return BooleanProgram(where.program.entry, procedures, tracked, impossible, calls, transitions)

    # ------------------------------------------------------------ formulas

    def _moments_from(self, place: Place) -> list[_Moment]:
        """In a fixed order: entering callees, other places, ERROR."""
        if place in self._moments:
            return self._moments[place]
        found: list[_Moment] = []
        if place[1] != EXIT:
            for number, call in enumerate(self.encoded.step(place).step.calls):
                found += self._moment(Edge(place, (call.callee, 0), number), [self.encoded.entering(place, number)])
            next_ = following(self.encoded.where, place)
            for target in (*next_.places, *((ERROR,) if next_.checks else ())):
                found += self._moment(Edge(place, target), [*self.encoded.ends(place, target)])
        self._moments[place] = found
        return found

    def _moment(self, edge: Edge, ends: Sequence[End]) -> list[_Moment]:
        """One for each number of calls before."""
        groups: dict[int, list[End]] = {}
        for end in ends:
            if end.formula != 0:
                groups.setdefault(end.earlier, []).append(end)
        return [
            _Moment(edge, earlier, tuple(group), self.encoded.finish(edge.source, _any(group)))
            for earlier, group in sorted(groups.items())
        ]

    def _inputs(self, place: Place, predicates: Mapping[Place, Sequence[V]]) -> tuple[list[V], list[V]]:
        """The formulas of `BooleanProgram.inputs`, and what is known of their unknowns."""
        found, axioms = list(predicates[place]), dict[V, None]()
        if not self._moments_from(place):
            return found, []
        bits = self.encoded.where.program.layout.pointer_bits
        for call in self.encoded.step(place).step.calls:
            after = by_component(call.values.after, bits)
            for predicate in predicates[call.callee, EXIT]:
                finished = self.encoded.finish(place, placed(predicate, after.get))
                found.append(finished.formula)
                axioms |= dict.fromkeys(finished.axioms)
        return found, list(axioms)

    def _afterwards(self, moment: _Moment, predicate: V) -> Finished:
        key = moment.edge, moment.earlier, predicate
        if key not in self._after:
            self._after[key] = moment.after(self.encoded, predicate)
        return self._after[key]

    # ------------------------------------------------------------ cubes

    def _transition(
        self,
        moment: _Moment,
        inputs: Sequence[V],
        axioms: Sequence[V],
        limits: Sequence[int],
        predicates: Mapping[Place, Sequence[V]],
        impossible: Mapping[Place, Cubes],
    ) -> Transition:
        edge = moment.edge
        goals = [self._afterwards(moment, predicate) for predicate in predicates.get(edge.target, ())]
        known = impossible[edge.source]
        key = edge, moment.earlier, tuple(inputs), tuple(limits), tuple(g.formula for g in goals), known
        if key in self._done:
            return self._done[key]
        parts = dict.fromkeys([*conjuncts(moment.guard.formula), *moment.guard.axioms, *axioms])
        for goal in goals:
            parts |= dict.fromkeys(goal.axioms)
        base = build.conjunction(parts)
        with self.implications.under(base, inputs, self.encoded.budget) as question:
            search = _Search(question, inputs, [*parts], self.largest)
            blocked = search.implying(0, known, *parts)
            if blocked == TRUE:
                return Transition(edge, TRUE, (), ())
            known = (*known, *blocked)
            made = tuple(search.implying(f, (), limit=limits[n]) for n, f in enumerate(self._calls(moment)))
            choices = tuple(search.choice(goal.formula, known) for goal in goals)
        self._done[key] = Transition(edge, blocked, made, choices)
        return self._done[key]

    def _calls(self, moment: _Moment) -> list[V]:
        """When the calls before were made."""
        if not moment.earlier:
            return []
        return [passed.formula for passed in self.encoded.passed(moment.edge.source)[: moment.earlier]]

    def _impossible(self, predicates: Sequence[V]) -> Cubes:
        with self.implications.under(1, predicates, self.encoded.budget) as question:
            return _Search(question, predicates, [], self.largest).implying(0, (), *predicates)


@dataclass(frozen=True, slots=True)
class _Search:
    """Cubes over the inputs, under what `parts` say."""

    question: Question
    inputs: Sequence[V]
    parts: Sequence[V]
    largest: int

    def implying(self, goal: V, known: Cubes, *seeds: V, limit: int | None = None) -> Cubes:
        """Those that imply the goal, over inputs (the first `limit` ones) that it, or the seeds, depend on."""
        if goal == 1:
            return TRUE
        inputs = [n for n in self._cone([goal, *seeds]) if limit is None or n < limit]
        return implicants(inputs, self.largest, lambda cube: self.question.implied(cube, goal), known)

    def choice(self, goal: V, known: Cubes) -> Choice:
        """A copy, if it is one of the inputs or its negation."""
        if isinstance(goal, int):
            return Choice(TRUE, FALSE) if goal else Choice(FALSE, TRUE)
        opposite = build.not_(goal)
        for number, formula in enumerate(self.inputs):
            if formula in (goal, opposite):
                same = formula is goal
                return Choice((((number, same),),), (((number, not same),),))
        return Choice(self.implying(goal, known), self.implying(opposite, known))

    def _cone(self, seeds: Sequence[V]) -> list[int]:
        """The inputs that share variables with the seeds, directly or not."""
        reached: set[Term] = set()
        waiting = list(variables(*seeds))
        users: dict[Term, list[V]] = {}
        for formula in (*self.parts, *self.inputs):
            for variable in variables(formula):
                users.setdefault(variable, []).append(formula)
        while waiting:
            variable = waiting.pop()
            if variable not in reached:
                reached.add(variable)
                for formula in users.get(variable, ()):
                    waiting += [other for other in variables(formula) if other not in reached]
        return [n for n, formula in enumerate(self.inputs) if any(v in reached for v in variables(formula))]


def places(where: Locations) -> list[Place]:
    """All that is syntactically reachable, callees included, in the order in which it is met."""
    found: dict[Place, None] = {START: None}
    waiting = deque([START])
    while waiting:
        next_ = following(where, waiting.popleft())
        for place in (*((callee, 0) for callee in next_.calls), *next_.places):
            if place not in found:
                found[place] = None
                waiting.append(place)
    for callee in sorted(where.contracts):
        if (callee, 0) in found:
            found[callee, EXIT] = None
    return list(found)


def _distinct(predicates: Sequence[V]) -> tuple[V, ...]:
    """Without constants, and each only once: a predicate stands for its negation, too."""
    found: dict[V, None] = {}
    for predicate in predicates:
        if isinstance(predicate, Term) and build.not_(predicate) not in found:
            found[predicate] = None
    return tuple(found)


def _any(ends: Sequence[End]) -> V:
    return build.disjunction(end.formula for end in ends)
