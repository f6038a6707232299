"""Cheap invariants for refinement: what Houdini keeps of the first guesses, once it takes long.

They hold on every run at their place, so they narrow all regions there, and no test has to be looked at again. A proof
that used some of them has to carry these, and what makes them inductive.

Source: the idea of a better first abstraction is from Nori, Rajamani, "An empirical study of optimizations in
Yogi" (ICSE 2010); the invariants are those of engines/houdini, fewer of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import field, replace
from typing import Final

from counterpoint.core.budget import Budget
from counterpoint.core.errors import OutOfBudget, Unsupported
from counterpoint.core.events import Observer
from counterpoint.core.records import dataclass
from counterpoint.execute.snapshots import RecordingLimits, Snapshots, record
from counterpoint.invariants import candidates as guesses
from counterpoint.invariants.candidates.protocol import Context
from counterpoint.invariants.filtering import surviving
from counterpoint.invariants.houdini import Houdini
from counterpoint.invariants.recursive_runs import with_recursion
from counterpoint.program.model import Program
from counterpoint.regions.cut_graph import Place, cut_graph
from counterpoint.semantics.facts import Fact, ghosts
from counterpoint.term.term import V
from counterpoint.term.walk import size


@dataclass(frozen=True, slots=True)
class Attempt:
    """Is due after so many splits or seconds in the solver; takes the sources of the first `stages` stages, for at most
    `limit` seconds and a quarter of the time that is left."""

    splits: int
    seconds: float
    stages: int
    limit: float


ATTEMPTS: Final = (Attempt(16, 1.0, 1, 2.0), Attempt(60, 5.0, 2, 5.0), Attempt(200, 15.0, 5, 15.0))

LEFT_SHARE = 0.25
"""Of the time that is left, for one attempt; and of the attempt's, for one source's guesses and for showing them."""

TEST_SECONDS = 0.5
"""Limit of the concrete runs that refute candidates."""

SUPPORT_SECONDS = 5.0
"""Limit of finding out which facts a proof needs beside those that it used."""

MOST_FACTS = 60
"""Facts at one place that are used: the shortest."""


@dataclass(slots=True)
class Learning:
    """The facts found so far: `facts` by place, for questions. Facts with ghosts are left out."""

    program: Program
    budget: Budget
    observe: Observer
    seed: int
    facts: dict[Place, list[V]]
    tried: int = 0
    _houdini: Houdini | None = None
    _snapshots: Snapshots = field(default_factory=Snapshots)
    _used: dict[Fact, None] = field(default_factory=dict)

    @property
    def known(self) -> list[Fact]:
        """All facts, inductive together."""
        found = self._houdini.facts.values() if self._houdini is not None else ()
        return [fact for place in found for fact in place if not ghosts(fact.formula)]

    def due(self, splits: int, seconds: float) -> bool:
        """There is an attempt left, and it is time for it."""
        if self.tried == len(ATTEMPTS):
            return False
        return splits >= ATTEMPTS[self.tried].splits or seconds >= ATTEMPTS[self.tried].seconds

    def attempt(self, told: Iterable[Fact]) -> bool:
        """The next attempt, with what others have told as candidates as well; whether it found facts. A program without
        cut points has none."""
        chosen = ATTEMPTS[self.tried]
        self.tried += 1
        before = len(self.known)
        limit = Budget(min(chosen.limit, LEFT_SHARE * self.budget.remaining()))
        try:
            self._look(chosen.stages, list(told), limit)
        except (OutOfBudget, Unsupported):
            self.budget.spend()
        for fact in sorted(self.known, key=lambda fact: size(fact.formula)):
            usable = self.facts.setdefault(fact.place, [])
            if fact.formula not in usable and len(usable) < MOST_FACTS:
                usable.append(fact.formula)
        return len(self.known) > before

    def _look(self, stages: int, told: Sequence[Fact], limit: Budget) -> None:
        if self._houdini is None:
            graph = cut_graph(self.program, limit)
            self._houdini = Houdini(graph, limit, self.observe, self.seed)
            seconds = min(TEST_SECONDS, LEFT_SHARE * limit.remaining())
            limits = RecordingLimits(seconds=seconds)
            seen = record(self.program, graph.cuts, graph.granules, seed=self.seed, limits=limits)
            self._snapshots = with_recursion(graph, seen, Budget.of_computing(seconds), self.seed)
        houdini = self._houdini
        houdini.budget = limit
        context = Context(houdini.graph, self._snapshots, limit, self.seed)
        houdini.extend(surviving(told, self._snapshots), LEFT_SHARE * limit.remaining())
        for source in guesses.sources():
            if source.stage < stages:
                found: list[Fact] = []
                with suppress(OutOfBudget):
                    found = list(source.candidates(replace(context, budget=limit.share(LEFT_SHARE))))
                limit.spend()
                houdini.extend(surviving(found, self._snapshots), LEFT_SHARE * limit.remaining())

    # ------------------------------------------------------------ proofs

    def use(self, place: Place, formulas: Iterable[V]) -> None:
        """A claim rests on these facts at the place."""
        self._used.update((Fact(*place, formula), None) for formula in formulas)

    def needed(self, everything: bool) -> dict[Place, list[V]]:
        """What a proof has to carry, by place: the used facts, or `everything`, with what makes them inductive."""
        wanted: list[Fact] = self.known if everything else []
        if self._houdini is not None and self._used and not everything:
            self._houdini.budget = Budget(min(SUPPORT_SECONDS, LEFT_SHARE * self.budget.remaining()))
            try:
                wanted = self._houdini.support(self._used)
            except OutOfBudget:
                wanted = self.known
        found: dict[Place, list[V]] = {}
        for fact in wanted:
            found.setdefault(fact.place, []).append(fact.formula)
        return found

    def close(self) -> None:
        """Frees the solvers."""
        if self._houdini is not None:
            self._houdini.close()
