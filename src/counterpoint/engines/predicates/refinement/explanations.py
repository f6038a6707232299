"""Which predicates make a spurious error trace abstractly infeasible, and where: a predicate map.

Source: Henzinger, Jhala, Majumdar, McMillan, "Abstractions from proofs" (POPL 2004); slides 36 to 58. Deviation: what
is interpolated is a sequence of blocks rather than of statements.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from typing import Literal, TypeAlias

from counterpoint.core.budget import Budget
from counterpoint.core.records import dataclass
from counterpoint.engines.predicates.graph.edges import Edge
from counterpoint.engines.predicates.refinement.choice import simplest, window
from counterpoint.engines.predicates.traces.formulas import TraceFormula
from counterpoint.engines.predicates.traces.path_choice import MOST, Named, one_path
from counterpoint.logic.interpolation.standard import GENERAL_FIRST, ORDER, standard_interpolator
from counterpoint.solver.answers import Model, SolverUnknown
from counterpoint.solver.interpolation import Consistent, Interpolants, Interpolation, Interpolator
from counterpoint.solver.layers import standard_solver
from counterpoint.term.sorts import BOOL
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import conjuncts

INTERPOLATION_SECONDS = 20.0
"""Limit of one refinement."""

DEAD_ENDS = 6
"""In a search for another path: that there is none the graph finds out sooner."""

Split: TypeAlias = Literal["atoms", "conjuncts"]


@dataclass(frozen=True, slots=True)
class Feasible:
    """The trace has a run: a model of its formula."""

    model: Model


@dataclass(frozen=True, slots=True)
class Explained:
    """The trace has no run; `formulas[i]` is what its first parts say about the components before part i that
    contradicts the others (None where that speaks of something else), `predicates[i]` the conditions in it."""

    formulas: tuple[V | None, ...]
    predicates: tuple[tuple[V, ...], ...]


@dataclass(frozen=True, slots=True)
class Unexplained:
    """Nothing is known of the trace, or it is spurious and no method says why; `reason` for the user."""

    reason: str


Explanation: TypeAlias = Feasible | Explained | Unexplained


@dataclass(slots=True)
class Refinement:
    """Explains traces. `split`: predicates are the atoms of interpolants, or their conjuncts; `single`: of one path of
    the trace rather than of all together. `observe` is told what is interpolated, before it is. No question takes
    longer than what is left of the `budget`."""

    split: Split = "atoms"
    single: bool = True
    order: Sequence[tuple[str, float]] = ORDER
    observe: Callable[[TraceFormula], None] | None = None
    budget: Budget = field(default_factory=lambda: Budget(float("inf")))
    counts: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0
    _first: Interpolator | None = None
    _second: Interpolator | None = None
    _latest: tuple[tuple[Edge, ...], Named] | None = None

    def explanations(self, trace: TraceFormula, general: bool = False) -> Iterator[Explanation]:
        """Explanations of the trace, for as long as the predicates of one exclude nothing: those of a path, then those
        of all paths together. `general`: with the methods first that find relations between variables."""
        yield from self.of_one_path(trace, general)
        yield from self.of_all_paths(trace, general)

    def of_one_path(self, trace: TraceFormula, general: bool = False) -> Iterator[Explanation]:
        """Those of a path on which the trace's parts agree on all tracked predicates, with the methods in either order;
        none if there is no path, or all are to be taken together."""
        path = self._one_path(trace) if self.single else None
        if path is not None:
            for first in (general, not general):
                yield self._explained(path, self.split, first)

    def of_all_paths(self, trace: TraceFormula, general: bool = False) -> Iterator[Explanation]:
        """Those of all paths together, with the methods in either order, at last by whole conjuncts."""
        for first in (general, not general):
            yield self._explained(trace, self.split, first)
        yield self._explained(trace, "conjuncts", False)

    def another(self, trace: TraceFormula, general: bool = False) -> Explanation | None:
        """Explains a path of the trace on which its parts agree on all tracked predicates; None if none is found
        soon."""
        path = self._one_path(trace, DEAD_ENDS) if self.single else None
        return None if path is None else self._explained(path, self.split, general)

    def _one_path(self, trace: TraceFormula, dead_ends: int = MOST) -> TraceFormula | None:
        path = one_path(trace, self._named(trace), dead_ends)
        if path is None:
            return None
        solver = standard_solver()
        try:
            return simplest(window(path, solver), solver)
        finally:
            solver.close()

    def _named(self, trace: TraceFormula) -> Named:
        """The same as before while it is about the same edges."""
        if self._latest is None or self._latest[0] != trace.edges:
            self.close()
            self._latest = trace.edges, Named(standard_solver())
        return self._latest[1]

    def close(self) -> None:
        """Frees the solver."""
        if self._latest is not None:
            self._latest[1].close()
        self._latest = None

    def explain(self, trace: TraceFormula, general: bool = False) -> Explanation:
        """One explanation; `general`: by those methods first that find relations between variables."""
        path = self._one_path(trace) if self.single else None
        return self._explained(trace if path is None else path, self.split, general)

    def _explained(self, trace: TraceFormula, split: Split, general: bool) -> Explanation:
        if self.observe is not None:
            self.observe(trace)
        match self.interpolated(trace.parts, general):
            case Consistent(model):
                return Feasible(model)
            case Interpolants(formulas):
                over = (1, *(trace.over_components(cut, f) for cut, f in enumerate(formulas, 1)))
                return Explained(over, tuple(self.predicates(formula, split) for formula in over))
            case SolverUnknown(reason):
                return Unexplained(reason)

    def limit(self) -> float:
        """Seconds for one question about a trace. Raises OutOfBudget where nothing is left."""
        self.budget.spend()
        return min(INTERPOLATION_SECONDS, self.budget.remaining())

    def interpolated(self, parts: Sequence[V], general: bool = False) -> Interpolation:
        """Sequence interpolants of two or more parts, within a time limit. Raises OutOfBudget."""
        limit, started = self.limit(), time.monotonic()
        answer = self._interpolator(general).interpolate(parts, limit)
        self.seconds += time.monotonic() - started
        return answer

    def _interpolator(self, general: bool) -> Interpolator:
        if general:
            self._second = self._second or standard_interpolator(GENERAL_FIRST)
            return self._second
        self._first = self._first or standard_interpolator(self.order)
        return self._first

    def predicates(self, formula: V | None, split: Split | None = None) -> tuple[V, ...]:
        """What is tracked of an interpolant over components; counts those that are none."""
        if formula is None:
            self.counts["strangers"] = self.counts.get("strangers", 0) + 1
            return ()
        parts = conditions(formula) if (split or self.split) == "atoms" else map(positive, conjuncts(formula))
        return tuple(dict.fromkeys(part for part in parts if isinstance(part, Term)))


def conditions(formula: V) -> Iterator[V]:
    """The atoms of the formula's Boolean structure, without signs."""
    seen: set[V] = set()
    stack = [formula]
    while stack:
        value = stack.pop()
        if not isinstance(value, Term) or value in seen:
            continue
        seen.add(value)
        if value.op in (Op.NOT, Op.AND) or (value.op in (Op.XOR, Op.ITE) and value.sort is BOOL):
            stack += reversed(value.args)
        else:
            yield value


def positive(formula: V) -> V:
    """The formula or its negation, whichever is not a NOT."""
    return formula.args[0] if isinstance(formula, Term) and formula.op is Op.NOT else formula
