"""Numeric domains as methods of interpolation: forward the strongest facts of a domain at each cut, back the weakest.

A domain describes one symbol at a time: its sign, its low bit, its value, its bounds (best_abstraction.py). Forward,
the facts at a cut are the strongest that follow from the facts before it and the part. If the last part contradicts the
last facts, the way back drops and weakens what the next cut does not need: the "local abstractions" of the slides on
abstraction refinement (slides 5 to 12), which track sign(z) at one cut only and sign(x) at another. No facts relate two
symbols.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import field, replace
from typing import Final

from counterpoint.core.records import dataclass
from counterpoint.logic.interpolation.best_abstraction import QUERY_SECONDS, BestAbstraction, Domain, Fact
from counterpoint.logic.interpolation.checked import products_solved
from counterpoint.logic.interpolation.cuts import DELETION_SECONDS, Clock, needed_for, shared_symbols
from counterpoint.logic.ranges import signed_of
from counterpoint.solver.answers import Sat, SolverUnknown, Unsat
from counterpoint.solver.interpolation import Interpolants, Interpolation
from counterpoint.solver.protocol import Solver
from counterpoint.term import build
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import Op, Term, V, argument_sorts
from counterpoint.term.walk import reachable

AROUND_ZERO: Final = frozenset((0, 1))
"""Landmarks of every trace."""

FINER: Final = 40
"""Rounds in which bounds between landmarks are looked for, at one cut."""


@dataclass(frozen=True, slots=True)
class ByDomain:
    """Interpolants that are conjunctions of facts of one domain; SolverUnknown("not in the domain") if there are none,
    or none were found: a query without an answer loses facts. Never answers Consistent.

    One solver per part. What the domain has no facts about (floats, arrays) is forgotten at each cut.
    """

    domain: Domain
    connect: Callable[[], Solver] = products_solved

    @property
    def name(self) -> str:
        return self.domain.name

    def interpolate(self, parts: Sequence[V], seconds: float | None = None) -> Interpolation:
        with _solvers(parts, self.connect) as solvers:
            run = _Run(self.domain, parts, solvers, Clock(seconds), landmarks_of(parts) | AROUND_ZERO)
            found = run.forward()
            if found is None and run.coarse and not run.clock.over:
                found = replace(run, precise=True).forward()
            if found is None:
                return SolverUnknown("timeout" if run.clock.over else "not in the domain")
            return Interpolants(tuple(run.back(found)))


@contextmanager
def _solvers(parts: Sequence[V], connect: Callable[[], Solver]) -> Iterator[list[Solver]]:
    solvers: list[Solver] = []
    try:
        for part in parts:
            solvers.append(connect())
            solvers[-1].add(part)
        yield solvers
    finally:
        for solver in solvers:
            solver.close()


def landmarks_of(formulas: Iterable[V]) -> frozenset[int]:
    """Where the formulas draw lines: between b - 1 and b, for constants that bit-vectors are compared with or chosen to
    be, unsigned and signed. Those of sums say how far values move, not where they are."""
    found: set[int] = set()
    for term in reachable(formulas):
        if term.op not in (Op.EQ, Op.ULT, Op.SLT, Op.ITE):
            continue
        for place, (arg, sort) in enumerate(zip(term.args, argument_sorts(term), strict=True)):
            if isinstance(arg, int) and isinstance(sort, BitVec) and sort.width > 1:
                if term.op in (Op.ULT, Op.SLT):  # c < x is c + 1 <= x
                    sides: tuple[int, ...] = (1 - place,)
                else:
                    sides = 0, 1
                found.update(c + side for c in (arg, signed_of(arg, sort.width)) for side in sides)
    return frozenset(found)


@dataclass(slots=True)
class _Run:
    """One attempt. `coarse` says whether sharper facts might have been found with `precise`."""

    domain: Domain
    parts: Sequence[V]
    solvers: Sequence[Solver]
    clock: Clock
    landmarks: frozenset[int]
    precise: bool = False
    coarse: bool = field(default=False, init=False)

    # ------------------------------------------------------------ forward

    def forward(self) -> list[Sequence[Fact] | None] | None:
        """The strongest facts at each cut, None behind a contradiction; None if the last part does not contradict."""
        found: list[Sequence[Fact] | None] = []
        facts: Sequence[Fact] | None = ()
        for number, shared in enumerate(shared_symbols(self.parts)):
            facts = None if facts is None else self._after(number, facts, shared)
            found.append(facts)
        if facts is None:
            return found
        answer = self.solvers[-1].check([fact.formula for fact in facts], self.clock.left())
        return found if isinstance(answer, Unsat) else None

    def _after(self, number: int, before: Sequence[Fact], shared: Sequence[Term]) -> Sequence[Fact] | None:
        """The strongest facts about the shared symbols after a part; None if nothing can be true there."""
        solver, assumed = self.solvers[number], [fact.formula for fact in before]
        symbols = [symbol for symbol in shared if self.domain.speaks_of(symbol)]
        answer = solver.check(assumed, self.clock.left(QUERY_SECONDS))
        if isinstance(answer, Unsat):
            return None
        if not isinstance(answer, Sat):
            return ()
        outer = self.domain.outer(build.conjunction([*assumed, self.parts[number]]), symbols)
        landmarks = {symbol: sorted({*self.landmarks, *outer.get(symbol, ())}) for symbol in symbols}
        values = {symbol: [answer.model.value(symbol)] for symbol in symbols}
        best = BestAbstraction(self.domain, solver, assumed, self.clock, landmarks, values)
        best.grow()
        self._refine(best)
        return best.facts()

    def _refine(self, best: BestAbstraction) -> None:
        """The facts as strong as they can be, if `precise`."""
        finer = best.finer()
        if not self.precise:
            self.coarse = self.coarse or finer is not None
            return
        for _ in range(FINER):
            if finer is None or self.clock.over:
                return
            best.landmarks = finer
            best.grow()
            finer = best.finer()

    # ------------------------------------------------------------ back

    def back(self, found: Sequence[Sequence[Fact] | None]) -> list[V]:
        """The formulas: at each cut the facts that the next formula needs, each as weak as it may be."""
        goal: V = 0
        formulas: list[V] = []
        for cut, facts in reversed(list(enumerate(found))):
            if facts is not None:
                goal = self._needed(self.solvers[cut + 1], facts, goal)
            formulas.append(goal)
        return formulas[::-1]

    def _needed(self, solver: Solver, facts: Sequence[Fact], goal: V) -> V:
        landmarks, wanted = sorted(self.landmarks), sorted(landmarks_of([goal]))
        with solver.scope():
            solver.add(build.not_(goal))
            needed = self._fewest(solver, facts)
            kept = [fact.formula for fact in needed]
            for place, fact in enumerate(needed):
                others = [*kept[:place], *kept[place + 1 :]]
                for chain in fact.weaker(landmarks, wanted):
                    weak = self._weakest(solver, chain, others)
                    if weak is not None:
                        kept[place] = weak
                        break
            return build.conjunction(kept)

    def _fewest(self, solver: Solver, facts: Sequence[Fact]) -> Sequence[Fact]:
        """Facts that suffice, of small ranks; all if the solver does not say in time (who checks will see)."""
        for rank in sorted({fact.rank for fact in facts}):
            by_formula = {fact.formula: fact for fact in facts if fact.rank <= rank}
            needed = needed_for(solver, list(by_formula), self.clock)
            if not isinstance(needed, Sat | SolverUnknown):
                return [by_formula[formula] for formula in needed]
        return facts

    def _weakest(self, solver: Solver, chain: Sequence[V], others: Sequence[V]) -> V | None:
        """The weakest formula of a chain that suffices with the others: one suffices if one before it does."""
        low, high = 0, len(chain)
        while low < high and not self.clock.over:
            middle = (low + high) // 2
            answer = solver.check([*others, chain[middle]], self.clock.left(DELETION_SECONDS))
            if isinstance(answer, Unsat):
                high = middle
            else:
                low = middle + 1
        return chain[high] if high < len(chain) else None
