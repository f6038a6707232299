"""Sets of abstract states: Boolean functions of predicates, as BDDs (package `dd`).

A predicate is one BDD variable, wherever it is tracked. CUDD where its wheel is installed, else dd's own Python code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from counterpoint.term.choice import ite
from counterpoint.term.sorts import BOOL
from counterpoint.term.term import V

Bdd: TypeAlias = Any
"""A dd Function; equal sets are equal objects."""


def _manager() -> Any:
    try:
        from dd import cudd as backend
    except ImportError:
        from dd import autoref as backend
    return backend.BDD()


class States:
    """One manager for all sets of an analysis; predicates become its variables in the order in which they come."""

    def __init__(self) -> None:
        self.manager = _manager()
        self._names: dict[V, str] = {}
        self._predicates: dict[str, V] = {}
        self._formulas: dict[Bdd, V] = {}

    @property
    def all(self) -> Bdd:
        return self.manager.true

    @property
    def none(self) -> Bdd:
        return self.manager.false

    def literal(self, predicate: V, holds: bool = True) -> Bdd:
        """The states in which the predicate holds, or those in which it does not."""
        found = self.manager.var(self._name(predicate))
        return found if holds else ~found

    def cube(self, literals: Mapping[V, bool]) -> Bdd:
        """The states in which the predicates have these values."""
        return self.manager.cube({self._name(predicate): holds for predicate, holds in literals.items()})

    def _name(self, predicate: V) -> str:
        name = self._names.get(predicate)
        if name is None:
            name = self._names[predicate] = f"p{len(self._names)}"
            self._predicates[name] = predicate
            self.manager.declare(name)
        return name

    def predicates(self, states: Bdd) -> list[V]:
        """Those that the set depends on, in the order in which they came."""
        return [self._predicates[name] for name in sorted(self.manager.support(states), key=lambda n: int(n[1:]))]

    def forget(self, states: Bdd, predicates: Iterable[V]) -> Bdd:
        """The set without what it says about these predicates."""
        names = [self._names[p] for p in predicates if p in self._names]
        return self.manager.exist(names, states) if names else states

    def contains(self, larger: Bdd, smaller: Bdd) -> bool:
        """By the predicates alone, whatever these mean."""
        return bool((smaller & ~larger) == self.manager.false)

    def count(self, states: Bdd, predicates: Sequence[V]) -> int:
        """How many combinations of these predicates, which are all that the set depends on, are in it."""
        return int(self.manager.count(states, len(predicates)))

    def formula(self, states: Bdd) -> V:
        """The set as a formula over components."""
        if states not in self._formulas:
            self._formulas[states] = self.over(states, lambda predicate: predicate)
        return self._formulas[states]

    def over(self, states: Bdd, meaning: Callable[[V], V]) -> V:
        """The set as a formula over what stands for each predicate. Linear in the BDD."""
        manager = self.manager
        done: dict[Bdd, V] = {manager.true: 1, manager.false: 0}
        stack = [states]
        while stack:
            node = stack[-1]
            if node in done:
                stack.pop()
                continue
            low, high = manager.let({node.var: False}, node), manager.let({node.var: True}, node)
            waiting = [child for child in (low, high) if child not in done]
            if waiting:
                stack += waiting
                continue
            done[node] = ite(meaning(self._predicates[node.var]), done[high], done[low], BOOL)
            stack.pop()
        return done[states]

    def clear(self) -> None:
        """Forgets the formulas."""
        self._formulas.clear()

    def cubes(self, states: Bdd) -> Iterator[dict[V, bool]]:
        """Disjoint cubes that make up the set."""
        for cube in self.manager.pick_iter(states, care_vars=set()):
            yield {self._predicates[name]: value for name, value in cube.items()}


