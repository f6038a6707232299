"""Formulas behind names in an incremental solver: each is translated once, and a question is a few assumptions.

A *switch* implies its formulas: assumed, they hold; not assumed, they say nothing. A *definition* is equivalent to its
formula and may be assumed false as well. An unsat core of names says which formulas a contradiction needs.

Source: Een, Sorensson, "Temporal induction by incremental SAT solving" (BMC 2003), where they are activation literals.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import field
from typing import Generic, TypeVar

from counterpoint.core.records import dataclass
from counterpoint.solver.protocol import Solver
from counterpoint.term import build
from counterpoint.term.sorts import BOOL
from counterpoint.term.term import Term, V

K = TypeVar("K", bound=Hashable)


@dataclass(slots=True)
class Selectors(Generic[K]):
    """A family of names in `solver`, each remembered by its key. The solver may have other families beside it.

    No formula may have a variable whose name begins with `family` and `|`. What is made inside `scope()` is gone at its
    end; nothing may be made inside a scope of the solver that was opened otherwise, as it would be remembered.
    """

    solver: Solver
    family: str
    _names: dict[K, V] = field(default_factory=dict)
    _made: int = 0

    def __contains__(self, key: K) -> bool:
        return key in self._names

    def switch(self, key: K, formulas: Iterable[V] = ()) -> V:
        """The key's switch. Its formulas are asserted behind it when it is made; later ones are not looked at."""
        if key not in self._names:
            self._names[key] = self._fresh()
            for formula in formulas:
                self.extend(key, formula)
        return self._names[key]

    def extend(self, key: K, formula: V) -> None:
        """One more formula behind a switch that exists."""
        self.solver.add(build.implies(self._names[key], formula))

    def one_of(self, names: Iterable[V]) -> V:
        """A switch for "at least one of these", which is not remembered."""
        switch = self._fresh()
        self.solver.add(build.implies(switch, build.disjunction(names)))
        return switch

    def define(self, key: K, formula: V) -> V:
        """The key's definition; a constant is its own name. A later formula for the same key is not looked at."""
        if key not in self._names and isinstance(formula, Term):
            self._names[key] = name = self._fresh()
            self.solver.add(build.iff(name, formula))
        return self._names.setdefault(key, formula)

    def named(self) -> Iterator[tuple[K, Term]]:
        """The keys that have a name rather than a constant, in the order in which they were made."""
        return ((key, name) for key, name in self._names.items() if isinstance(name, Term))

    def chosen(self, core: Iterable[V]) -> list[K]:
        """The keys whose names are in an unsat core, in the order in which they were made."""
        needed = frozenset(core)
        return [key for key, name in self.named() if name in needed]

    @contextmanager
    def scope(self) -> Iterator[None]:
        """What is asserted or made inside the `with` block is taken back at its end, also after an exception."""
        names, made = dict(self._names), self._made
        with self.solver.scope():
            try:
                yield
            finally:
                self._names, self._made = names, made

    def _fresh(self) -> Term:
        self._made += 1
        return build.variable(f"{self.family}|{self._made - 1}", BOOL)
