"""What a view of the clauses in z3's logic has to supply, and the outcomes of solving them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias

from counterpoint.core.errors import CounterpointError
from counterpoint.core.records import dataclass
from counterpoint.logic.horn.clauses import Clause
from counterpoint.regions.cut_graph import Place
from counterpoint.semantics.facts import Fact
from counterpoint.term.term import Term, V

Native: TypeAlias = Any
"""A z3 expression; z3 has no types."""


class Untranslatable(CounterpointError):
    """A z3 expression that has no Term: quantifiers, rationals, operators that only z3 has."""


@dataclass(frozen=True, slots=True)
class NativeAtom:
    """An atom in z3's terms; `guard` is None where it is surely true."""

    place: Place
    values: tuple[Native, ...]
    guard: Native | None


@dataclass(frozen=True, slots=True)
class NativeClause:
    """A clause in z3's terms; `variables` are all its constants."""

    head: NativeAtom | None
    body: tuple[NativeAtom, ...]
    formulas: tuple[Native, ...]
    variables: tuple[Native, ...]


class View(Protocol):
    """The clauses in one of z3's theories. It may add runs (never leave one out)."""

    name: str
    context: Any

    def sort(self, argument: Term) -> Any:
        """The sort by which a relation's argument is seen."""
        ...

    def clauses(self, clause: Clause) -> list[NativeClause]: ...

    def decode(self, formula: Native, arguments: Sequence[tuple[Native, Term]]) -> V:
        """A Bool over the arguments (their z3 constants, and the component variables that they stand for).

        Raises Untranslatable.
        """
        ...


@dataclass(frozen=True, slots=True)
class Solved:
    """The relations have this interpretation: with these facts every clause holds in the view."""

    facts: tuple[Fact, ...]
    complete: bool = True
    """Whether every conjunct of the answer could be translated."""


@dataclass(frozen=True, slots=True)
class Refuted:
    """In the view a failure is derived."""


@dataclass(frozen=True, slots=True)
class Undecided:
    """No answer; `facts` are what the solver had learned by then: candidates."""

    reason: str
    facts: tuple[Fact, ...] = ()


Outcome: TypeAlias = Solved | Refuted | Undecided
