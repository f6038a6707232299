"""Which cubes of predicates imply a formula: a solver with a memory, and counterexamples that save most questions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import field

from counterpoint.core.budget import Budget
from counterpoint.core.records import dataclass
from counterpoint.engines.predicates.slam.program import Cube
from counterpoint.solver.answers import Sat, SolverUnknown, Unsat
from counterpoint.solver.backends import backend
from counterpoint.solver.protocol import Settings
from counterpoint.solver.selectors import Selectors
from counterpoint.term import build
from counterpoint.term.term import Term, V

QUESTION_SECONDS = 1.0

MOST_REMEMBERED = 200_000


@dataclass(slots=True)
class Implications:
    """Answers stay when the predicates change, so that an abstraction that grows asks only what is new.

    `asked` counts solver calls, `hits` remembered answers, `refuted` those that an earlier model gave, `unknown` those
    without an answer: they count as no.
    """

    backend: str = "bitwuzla"
    seed: int = 0
    asked: int = 0
    hits: int = 0
    refuted: int = 0
    unknown: int = 0
    _names: Selectors[V] | None = None
    _known: dict[tuple[V, V, frozenset[V]], bool] = field(default_factory=dict)

    @contextmanager
    def under(self, base: V, inputs: Sequence[V], budget: Budget) -> Iterator[Question]:
        """Questions about runs on which `base` holds, and cubes over these inputs (all over the same variables)."""
        if self._names is None:
            self._names = Selectors(backend(self.backend).connect(Settings(self.seed)), "literal")
        with self._names.scope():
            yield Question(self, self._names, base, inputs, budget)

    def close(self) -> None:
        """Ends the solver; a later question starts another one."""
        if self._names is not None:
            self._names.solver.close()
            self._names = None


@dataclass(slots=True)
class Question:
    """Questions with the same base. Inputs and goals are asked about by their `names`, so that cubes are assumptions; a
    model's values of these refute other cubes."""

    implications: Implications
    names: Selectors[V]
    base: V
    inputs: Sequence[V]
    budget: Budget
    _started: bool = False
    _models: list[frozenset[V]] = field(default_factory=list)

    def implied(self, cube: Cube, goal: V) -> bool:
        """Does `goal` hold on all runs with `base` and the cube? No, if that is not known after a second.

        Raises OutOfBudget.
        """
        literals = [(self.inputs[number], holds) for number, holds in cube]
        if goal == 1 or any(term == (0 if holds else 1) for term, holds in literals):
            return True
        literals = [(term, holds) for term, holds in literals if isinstance(term, Term)]
        asked = frozenset(term if holds else build.not_(term) for term, holds in literals)
        key = self.base, goal, asked
        known = self.implications._known.get(key)
        if known is not None:
            self.implications.hits += 1
            return known
        wanted = asked if goal == 0 else asked | {build.not_(goal)}
        if any(wanted <= model for model in self._models):
            self.implications.refuted += 1
            return False
        found = self._ask(literals, goal)
        if len(self.implications._known) < MOST_REMEMBERED:
            self.implications._known[key] = found
        return found

    def _ask(self, literals: Sequence[tuple[V, bool]], goal: V) -> bool:
        self.budget.spend()
        if not self._started:
            self._started = True
            self.names.solver.add(self.base)
            for term in self.inputs:
                self.names.define(term, term)
        named = [(self.names.define(term, term), holds) for term, holds in literals]
        assumed = [name if holds else build.not_(name) for name, holds in named]
        if goal != 0:
            assumed.append(build.not_(self.names.define(goal, goal)))
        self.implications.asked += 1
        answer = self.names.solver.check(assumed, min(QUESTION_SECONDS, self.budget.remaining()))
        match answer:
            case Sat(model):
                values = ((term, model.value(name)) for term, name in self.names.named())
                self._models.append(frozenset(term if value else build.not_(term) for term, value in values))
            case SolverUnknown():
                self.implications.unknown += 1
        return isinstance(answer, Unsat)
