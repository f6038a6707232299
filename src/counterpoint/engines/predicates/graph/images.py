"""Runs over an edge that models have shown, and what each says about many: predicates that its path does not touch keep
whatever values they had.

A run's path through the edge is a conjunction of conditions. Variables are *touched* that occur in these or change on
the path, and those that share a predicate with a touched one. Predicates about other variables are carried over: for
each abstract state that agrees with the run on the touched predicates, there is a run along the same path that leaves
the touched predicates as this run does, and the others as they were. So one model makes many abstract states of the
image, and there are about as many questions as paths, not as combinations of predicates. Runs stay runs when other
predicates are tracked: an image begins with what is known of them, and only the rest is asked for.

What is added to an image can never make it wrong, only too large: it is complete when no run leads outside of it. It
is exact if each abstract state at the source has a run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

from counterpoint.core.records import dataclass
from counterpoint.engines.predicates.graph.edges import NO_CALL, Edge, EdgeFormulas
from counterpoint.logic.state_sets import Bdd, States
from counterpoint.regions.specialise import Specialiser
from counterpoint.solver.answers import Model
from counterpoint.term.term import Term, V
from counterpoint.term.walk import variables

MOST_REMEMBERED = 3000
"""Runs over one edge that are kept."""


class Observed:
    """One run over an edge."""

    def __init__(self, formulas: EdgeFormulas, edge: Edge, model: Model) -> None:
        self.model = model
        self._formulas = formulas
        self._edge = edge
        self._before: dict[V, bool] = {}
        self._after: dict[V, bool | None] = {}
        self._path: Specialiser | None = None
        self._seen: dict[Term, frozenset[Term]] = {}
        self._used: frozenset[Term] = frozenset()

    def before(self, predicate: V) -> bool:
        """Its value at the source."""
        found = self._before.get(predicate)
        if found is None:
            found = self._before[predicate] = bool(self.model.value(predicate))
        return found

    def after(self, predicate: V) -> bool | None:
        """Its value at the target; None if that depends on what this run leaves open."""
        if predicate not in self._after:
            said = self._formulas.said(self._edge, predicate)
            known = all(self.model.value(axiom) for axiom in said.axioms)
            self._after[predicate] = bool(self.model.value(said.formula)) if known else None
        return self._after[predicate]

    @property
    def followed(self) -> bool:
        """Its path is known."""
        return self._path is not None

    def touched(self, wanted: Sequence[Term]) -> frozenset[Term]:
        """The components at the source that its path depends on or changes, of the wanted ones at its end."""
        if self._path is None:
            model = self.model
            self._path = Specialiser(lambda formula: bool(model.value(formula)))
            self._path.path(self._formulas.guard(self._edge), ())
        for variable in wanted:
            if variable not in self._seen:
                self._seen[variable] = self._changed(variable, self._path)
        conditions = frozenset(variables(*self._path.conditions))
        return conditions.union(*(self._seen[variable] for variable in wanted))

    def _changed(self, variable: Term, path: Specialiser) -> frozenset[Term]:
        value = self._formulas.value(self._edge, variable)
        if value is None or not isinstance(value.formula, Term):
            return frozenset((variable,))
        if value.formula is variable:
            return frozenset()
        (taken,) = path.path(1, (value.formula,))[1]
        return frozenset() if taken is variable else frozenset((variable, *variables(taken)))


@dataclass(slots=True)
class Remembered:
    """The runs over each edge that models have shown. Edges over calls have none: what calls return changes."""

    formulas: EdgeFormulas
    _runs: dict[Edge, list[Observed]] = field(default_factory=dict)

    def add(self, edge: Edge, model: Model) -> Observed:
        """A new run."""
        run = Observed(self.formulas, edge, model)
        if edge.call == NO_CALL and not self.formulas.calls_before(edge):
            there = self._runs.setdefault(edge, [])
            if len(there) < MOST_REMEMBERED:
                there.append(run)
        return run

    def of(self, edge: Edge) -> Sequence[Observed]:
        """The known ones, oldest first."""
        return self._runs.get(edge, ())


@dataclass(slots=True)
class Image:
    """What runs over an edge from the abstract states `before`, where the `facts` hold, leave of the `predicates` at
    its end."""

    states: States
    before: Bdd
    predicates: Sequence[V]
    facts: Sequence[V] = ()
    source: list[V] = field(init=False)
    wanted: list[Term] = field(init=False)
    _about: dict[V, frozenset[Term]] = field(default_factory=dict)
    _kept: dict[frozenset[Term], frozenset[V]] = field(default_factory=dict)
    _begins: dict[tuple[bool, ...], bool] = field(default_factory=dict)
    _done: dict[tuple[object, ...], Bdd] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.source = self.states.predicates(self.before)
        self._about = {p: frozenset(variables(p)) for p in (*self.source, *self.predicates)}
        self.wanted = list(dict.fromkeys(v for p in self.predicates for v in variables(p)))

    def begins(self, run: Observed) -> bool:
        """The run begins in `before`, where the facts hold."""
        if not all(map(run.before, self.facts)):
            return False
        values = tuple(map(run.before, self.source))
        found = self._begins.get(values)
        if found is None:
            cube = self.states.cube(dict(zip(self.source, values, strict=True)))
            found = self._begins[values] = self.states.contains(self.before, cube)
        return found

    def left(self, run: Observed) -> dict[V, bool] | None:
        """What the run leaves of the predicates; None if that is not known of all."""
        found: dict[V, bool] = {}
        for predicate in self.predicates:
            value = run.after(predicate)
            if value is None:
                return None
            found[predicate] = value
        return found

    def around(self, run: Observed, after: Mapping[V, bool], generalise: bool) -> Bdd:
        """The abstract states at the end that come with the run; with `generalise` its path is looked at for that."""
        states = self.states
        if not generalise and not run.followed:
            return states.cube(after)
        kept = self._carried(run.touched(self.wanted))
        touched = tuple((p, run.before(p)) for p in self.source if p not in kept)
        changed = tuple((p, value) for p, value in after.items() if p not in kept)
        key = kept, touched, changed
        if key not in self._done:
            agrees = self.before & states.cube(dict(touched))
            others = states.forget(agrees, [p for p in self.source if p not in kept])
            self._done[key] = others & states.cube(dict(changed))
        return self._done[key]

    def _carried(self, touched: frozenset[Term]) -> frozenset[V]:
        """The predicates at both ends about variables that have nothing to do with the touched ones."""
        if touched not in self._kept:
            self._kept[touched] = self._apart(set(touched))
        return self._kept[touched]

    def _apart(self, touched: set[Term]) -> frozenset[V]:
        for predicate in self.predicates:
            if predicate not in self.source:
                touched |= self._about[predicate]
        waiting = list(dict.fromkeys((*self.source, *self.predicates)))
        while True:
            met = [p for p in waiting if not touched.isdisjoint(self._about[p])]
            if not met:
                return frozenset(p for p in waiting if p in self.predicates and p in self.source)
            waiting = [p for p in waiting if p not in met]
            touched.update(*(self._about[p] for p in met))
