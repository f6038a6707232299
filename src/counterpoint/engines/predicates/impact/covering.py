"""Whether labels imply formulas: the question of covering, asked about many labels that share most of their parts."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import field

from counterpoint.core.events import Observer, SolverCall, ignore
from counterpoint.core.records import dataclass
from counterpoint.engines.predicates.graph.circuits import QUERY_SECONDS, Counts
from counterpoint.regions.cut_graph import Place
from counterpoint.solver.answers import Model, Sat, SolverUnknown, Unsat
from counterpoint.solver.backends import backend
from counterpoint.solver.protocol import Settings
from counterpoint.solver.selectors import Selectors
from counterpoint.term import build
from counterpoint.term.term import Term, TermError, V
from counterpoint.term.walk import variables

MOST_MODELS = 8
"""Counterexamples that are tried before the solver, per place."""


@dataclass(slots=True)
class Implications:
    """Answers are remembered: an implication by the parts that it took, the rest by label."""

    solver: str
    counts: Counts
    seed: int = 0
    observe: Observer = ignore
    _names: dict[Place, Selectors[V]] = field(default_factory=dict)
    _enough: dict[V, list[frozenset[V]]] = field(default_factory=dict)
    _refuted: set[tuple[frozenset[V], V]] = field(default_factory=set)
    _models: dict[Place, list[Model]] = field(default_factory=dict)

    def implied(self, place: Place, label: Iterable[V], formula: V) -> bool:
        """Does the formula follow from the conjunction of the label's parts? False if that is not known. All of them
        are over the components at the place."""
        parts = frozenset(label)
        if formula == 1 or formula in parts or 0 in parts:
            return True
        if any(core <= parts for core in self._enough.get(formula, ())):
            return True
        if (parts, formula) in self._refuted or (isinstance(formula, Term) and self._apart(parts, formula)):
            return False
        if self._modelled(place, parts, formula) or not self._asked(place, tuple(label), formula):
            self._refuted.add((parts, formula))
            return False
        return True

    def _apart(self, parts: frozenset[V], formula: V) -> bool:
        """Valid formulas aside, nothing follows from formulas without its variables."""
        return set(variables(*parts)).isdisjoint(variables(formula))

    def _modelled(self, place: Place, parts: frozenset[V], formula: V) -> bool:
        """A known state has the label, and not the formula."""
        models = self._models.setdefault(place, [])
        for position, model in enumerate(models):
            try:
                if not model.value(formula) and all(model.value(part) for part in parts):
                    models.insert(0, models.pop(position))
                    return True
            except TermError:
                continue
        return False

    def _asked(self, place: Place, label: tuple[V, ...], formula: V) -> bool:
        if place not in self._names:
            self._names[place] = Selectors(backend(self.solver).connect(Settings(self.seed)), "label")
        names = self._names[place]
        assumed = dict.fromkeys(names.define(part, part) for part in label)
        escaped = build.not_(names.define(formula, formula))
        started = time.monotonic()
        answer = names.solver.check([*assumed, escaped], QUERY_SECONDS)
        took = time.monotonic() - started
        self.counts.asked += 1
        self.counts.seconds += took
        self.counts.unknown += isinstance(answer, SolverUnknown)
        self.observe(SolverCall("covering", type(answer).__name__, took))
        match answer:
            case Unsat(core):
                self._enough.setdefault(formula, []).append(frozenset(names.chosen(core)))
                return True
            case Sat(model):
                self._models[place] = [model, *self._models[place][: MOST_MODELS - 1]]
        return False

    def close(self) -> None:
        """Frees the solvers."""
        for names in self._names.values():
            names.solver.close()
        self._names.clear()
        self._models.clear()
