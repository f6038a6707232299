"""The abstract post: from a set of abstract states over an edge, with the predicates that are tracked at its target.

First which predicates are implied, one question for each that no model has refuted (Cartesian abstraction); then, if
it is Boolean, all combinations of the others that a run can leave behind, by asking for models until there are no
more. Computed bit by bit on the edge's formula: predicates are guesses, abstract states are facts.

Source: Graf, Saidi (CAV 1997); Ball, Podelski, Rajamani (TACAS 2001) for the Cartesian one; Lahiri, Nieuwenhuis,
Oliveras (CAV 2006) for models.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

from counterpoint.core.budget import Budget
from counterpoint.core.records import dataclass
from counterpoint.engines.predicates.graph.circuits import Circuit, Circuits, is_name
from counterpoint.engines.predicates.graph.edges import Edge
from counterpoint.engines.predicates.graph.images import Image, Observed, Remembered
from counterpoint.logic.state_sets import Bdd, States
from counterpoint.solver.answers import Sat, Unsat
from counterpoint.term import build
from counterpoint.term.term import V

MOST_MODELS = 2000
"""Runs that one post asks for; if there are more combinations of predicates, the rest is Cartesian."""

SIMPLE_MODELS = 8
"""Runs of which only their own combination is noted, before others are generalised (images.py), which takes longer."""

PROBED_MODELS = 6
WORTH_WHILE = 8
"""So many are generalised; if they make fewer abstract states each, on average, no more are."""

MOST_REFUTED = 12
"""Sets of abstract states that are kept for each claim about their runs."""


@dataclass(slots=True)
class Abstraction:
    """`boolean`: combinations of predicates are kept. `capped` counts the posts that became coarser than that."""

    states: States
    circuits: Circuits
    budget: Budget
    boolean: bool = True
    most_models: int = MOST_MODELS
    posts: int = 0
    hits: int = 0
    capped: int = 0
    runs: Remembered = field(init=False)
    refuted: RefutedClaims = field(init=False)
    _known: dict[tuple[Edge, Bdd, tuple[V, ...], tuple[V, ...]], Bdd] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.runs = Remembered(self.circuits.formulas)
        self.refuted = RefutedClaims(self.states)

    def post(self, edge: Edge, before: Bdd, predicates: Sequence[V], facts: Sequence[V] = ()) -> Bdd:
        """The abstract states at the target; none of them if the edge cannot be taken. Remembered. `facts` hold at the
        source. Raises OutOfBudget and GranuleConflict."""
        assumed = self.circuits.formulas.assumed(edge)
        key = edge, before, tuple(predicates), (*assumed, *facts)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._post(edge, before, predicates, facts)
        else:
            self.hits += 1
        return known

    def clear(self) -> None:
        """Forgets everything; BDDs must be gone before their manager is."""
        self._known.clear()
        self.refuted.clear()
        self.states.clear()

    def _post(self, edge: Edge, before: Bdd, predicates: Sequence[V], facts: Sequence[V]) -> Bdd:
        self.posts += 1
        self.budget.spend()
        circuit = self.circuits.of(edge)
        source = self.states.over(before, circuit.before)
        given = [source, *(circuit.before(fact) for fact in facts)]
        if 0 in given:
            return self.states.none
        names = {predicate: circuit.after(predicate) for predicate in predicates}
        key = edge, self.circuits.formulas.assumed(edge), tuple(facts)
        return _Post(self, circuit, before, given, names, key, facts).states()


@dataclass(slots=True)
class _Post:
    """One post. `names`: the predicates' values at the target; `seen`: those that they have in `runs`, which begin in
    `before`; `key` says what claims about runs depend on beside that."""

    of: Abstraction
    circuit: Circuit
    before: Bdd
    given: list[V]
    names: Mapping[V, V]
    key: object
    facts: Sequence[V]
    runs: list[Observed] = field(default_factory=list)
    seen: dict[V, set[bool]] = field(default_factory=dict)

    def states(self) -> Bdd:
        states = self.of.states
        settled = {predicate: bool(name) for predicate, name in self.names.items() if not is_name(name)}
        undecided = [predicate for predicate in self.names if predicate not in settled]
        self.seen = {predicate: set() for predicate in undecided}
        image = Image(states, self.before, undecided, self.facts)
        for run in self.of.runs.of(self.circuit.edge):
            if image.begins(run):
                self._see(run)
        if not self.runs and self._impossible(None, self.given):
            return states.none
        implied = self._implied(undecided)
        open_ = [predicate for predicate in undecided if predicate not in implied]
        found = states.cube(settled | implied)
        if self.of.boolean and len(open_) > 1:
            found &= self._combinations(open_)
        return found

    def _possible(self, assumptions: Sequence[V]) -> bool | None:
        """There is such a run; notes the predicates' values in one. None without an answer."""
        match self.circuit.check(assumptions):
            case Unsat():
                return False
            case Sat(model):
                self._see(self.of.runs.add(self.circuit.edge, model))
                return True
        return None

    def _see(self, run: Observed) -> None:
        self.runs.append(run)
        for predicate, values in self.seen.items():
            value = run.after(predicate)
            if value is not None:
                values.add(value)

    def _implied(self, undecided: Sequence[V]) -> dict[V, bool]:
        """The predicates that have one value at the target."""
        implied: dict[V, bool] = {}
        for predicate in undecided:
            for value in (True, False):
                if value in self.seen[predicate] or predicate in implied:
                    continue
                literal = _literal(self.names[predicate], value)
                if self._impossible((predicate, value), [*self.given, literal]):
                    implied[predicate] = not value
        return implied

    def _impossible(self, what: object, assumptions: Sequence[V]) -> bool:
        """There is no such run; not asked again for smaller sets of abstract states."""
        refuted = self.of.refuted
        if refuted.covers((self.key, what), self.before):
            return True
        if self._possible(assumptions) is False:
            refuted.add((self.key, what), self.before)
            return True
        return False

    def _combinations(self, open_: Sequence[V]) -> Bdd:
        """Which of them a run can leave behind; all if there are too many, or there is no answer."""
        states = self.of.states
        found = states.none
        image = Image(states, self.before, open_, self.facts)
        for run in self.runs:
            after = image.left(run)
            if after is not None:
                found |= image.around(run, after, generalise=False)
        with self.circuit.scope() as add:
            for formula in (*self.given, build.not_(states.over(found, self.names.__getitem__))):
                add(formula)
            made, generalised = 0, 0
            for number in range(self.of.most_models):
                self.of.budget.spend()
                pays = generalised < PROBED_MODELS or made >= WORTH_WHILE * generalised
                generalise = pays and number >= SIMPLE_MODELS
                more = self._run(image, generalise=generalise)
                if more is None:
                    break
                if more == states.none:
                    return found
                if generalise:
                    generalised += 1
                    made += states.count(more, open_)
                add(build.not_(states.over(more, self.names.__getitem__)))
                found |= more
        self.of.capped += 1
        return states.all

    def _run(self, image: Image, *, generalise: bool) -> Bdd | None:
        """What one more run leaves behind; nothing if there is none, None without an answer."""
        match self.circuit.check(()):
            case Unsat():
                return self.of.states.none
            case Sat(model):
                after = {predicate: bool(model.value(self.names[predicate])) for predicate in image.predicates}
                return image.around(self.of.runs.add(self.circuit.edge, model), after, generalise)
        return None


@dataclass(slots=True)
class RefutedClaims:
    """What no run from some sets of abstract states does, and so none from parts of these."""

    states: States
    _sets: dict[object, list[Bdd]] = field(default_factory=dict)

    def covers(self, what: object, before: Bdd) -> bool:
        """No run from there does it."""
        sets: list[Bdd] = self._sets.get(what, [])
        return any(self.states.contains(known, before) for known in reversed(sets))

    def add(self, what: object, before: Bdd) -> None:
        """No run from there does it; the latest sets are kept."""
        sets = self._sets.setdefault(what, [])
        sets.append(before)
        del sets[:-MOST_REFUTED]

    def clear(self) -> None:
        """Forgets everything."""
        self._sets.clear()


def _literal(name: V, holds: bool) -> V:
    return name if holds else build.not_(name)
