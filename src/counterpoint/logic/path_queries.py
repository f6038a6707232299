"""Questions about runs along a path of the execution tree.

Only the conjuncts that share variables, directly or not, with what is asked go to the solver. The others hold under
the values of a run that took the path, so a model of the slice and those values together are one of the whole.

Source: the independence of constraints in dynamic symbolic execution (KLEE, OSDI 2008; EXE, CCS 2006).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import field

from counterpoint.core import clock
from counterpoint.core.events import Observer, SolverCall, ignore
from counterpoint.core.records import dataclass
from counterpoint.regions.tree import ExecutionTree, Node
from counterpoint.semantics.addresses import address_axioms
from counterpoint.semantics.pointers import mentioned_objects
from counterpoint.solver.answers import Answer, SolverUnknown, Unsat
from counterpoint.solver.backends import backend
from counterpoint.solver.protocol import Settings, Solver
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import conjuncts, reachable

MOST_REMEMBERED = 20_000

CORE_SECONDS = 0.3
"""Limit of a question with a core, before it is asked without."""


@dataclass(slots=True)
class Queries:
    """A solver with a memory: a question that was asked is not asked again.

    `limit` is one for every question, in seconds. `asked` counts solver calls, `hits` remembered answers, `unknown`
    those without an answer; `seconds` is the time spent in the solver.
    """

    backend: str = "bitwuzla"
    seed: int = 0
    observe: Observer = ignore
    limit: float = math.inf
    asked: int = 0
    hits: int = 0
    unknown: int = 0
    seconds: float = 0.0
    _solver: Solver | None = None
    _known: dict[tuple[frozenset[V], tuple[V, ...]], Unsat] = field(default_factory=dict)

    def check(self, formulas: Sequence[V], assumptions: Sequence[V], seconds: float, purpose: str) -> Answer:
        """Is there a model of all of them? An Unsat has a core of the assumptions."""
        if any(formula == 0 for formula in formulas):
            return Unsat(())
        false = [assumption for assumption in assumptions if assumption == 0]
        if false:
            return Unsat((false[0],))
        hard = [formula for formula in formulas if formula != 1]
        key = frozenset(hard), tuple(assumptions)
        known = self._known.get(key)
        if known is not None:
            self.hits += 1
            return known
        started = clock.now()
        answer = self._ask(hard, [a for a in assumptions if a != 1], min(seconds, self.limit))
        took = clock.now() - started
        self.seconds += took
        self.observe(SolverCall(purpose, type(answer).__name__, took))
        match answer:
            case Unsat():
                if len(self._known) < MOST_REMEMBERED:
                    self._known[key] = answer
            case SolverUnknown():
                self.unknown += 1
        return answer

    def _ask(self, hard: Sequence[V], assumptions: Sequence[V], seconds: float) -> Answer:
        """With a core for a short time only: what is asserted, a solver simplifies by, what is assumed it does not."""
        if self._solver is None:
            self._solver = backend(self.backend).connect(Settings(self.seed))
        solver = self._solver
        if len(assumptions) > 1:
            with solver.scope():
                for formula in hard:
                    solver.add(formula)
                self.asked += 1
                answer = solver.check(assumptions, min(CORE_SECONDS, seconds))
            if not isinstance(answer, SolverUnknown):
                return answer
        with solver.scope():
            for formula in (*hard, *assumptions):
                solver.add(formula)
            self.asked += 1
            answer = solver.check((), seconds)
        return Unsat(tuple(assumptions)) if isinstance(answer, Unsat) else answer

    def close(self) -> None:
        if self._solver is not None:
            self._solver.close()
            self._solver = None


@dataclass(slots=True)
class PathQueries:
    """Questions about runs through nodes of a tree. `last_leaves` are the variables and addresses of the last one."""

    tree: ExecutionTree
    queries: Queries
    last_leaves: list[Term] = field(default_factory=list)
    _leaves: dict[V, frozenset[Term]] = field(default_factory=dict)

    def along(
        self, node: Node, formulas: Sequence[V], seconds: float, purpose: str, assumptions: Sequence[V] = ()
    ) -> Answer:
        """Is there a run that gets to the node, and there fulfils the formulas (and assumptions)?

        The model of a Sat says nothing about variables that the formulas do not depend on.
        """
        wanted = [part for formula in formulas for part in conjuncts(formula)]
        if any(part == 0 for part in (*wanted, *assumptions)):
            return self.queries.check(wanted, assumptions, seconds, purpose)
        slice_ = self.slice(node, [*wanted, *assumptions])
        asked = (*wanted, *assumptions, *slice_)
        self.last_leaves = list(dict.fromkeys(leaf for formula in asked for leaf in self.leaves(formula)))
        return self.queries.check([*wanted, *slice_], assumptions, seconds, purpose)

    def slice(self, node: Node, formulas: Sequence[V]) -> list[V]:
        """Conjuncts of the path's condition and axioms that the formulas depend on, the path's last ones first."""
        candidates = [*node.conditions(), *self.tree.axioms(node)]
        found = self._dependent(formulas, candidates)
        indices: set[int] = set()
        for formula in (*formulas, *found):
            indices |= mentioned_objects(formula)
        if not indices:
            return found
        placed = address_axioms(self.tree.world, indices)
        more = self._dependent([*formulas, *found, *placed], candidates)
        return [*more, *placed]

    def _dependent(self, formulas: Sequence[V], candidates: Iterable[V]) -> list[V]:
        users: dict[Term, list[V]] = {}
        for candidate in candidates:
            for leaf in self.leaves(candidate):
                users.setdefault(leaf, []).append(candidate)
        chosen: dict[V, None] = {}
        seen: set[Term] = set()
        waiting = [leaf for formula in formulas for leaf in self.leaves(formula)]
        while waiting:
            leaf = waiting.pop()
            if leaf in seen:
                continue
            seen.add(leaf)
            for user in users.get(leaf, ()):
                if user not in chosen:
                    chosen[user] = None
                    waiting.extend(self.leaves(user))
        return [candidate for candidate in dict.fromkeys(candidates) if candidate in chosen]

    def leaves(self, formula: V) -> frozenset[Term]:
        """Its variables and addresses."""
        known = self._leaves.get(formula)
        if known is None:
            terms = reachable((formula,)) if isinstance(formula, Term) else ()
            known = frozenset(term for term in terms if term.op in (Op.VARIABLE, Op.ADDRESS))
            self._leaves[formula] = known
        return known
