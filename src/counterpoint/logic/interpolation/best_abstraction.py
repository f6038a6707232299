"""The strongest facts of a numeric domain that follow from a formula, grown from values in models.

Source: Reps, Sagiv, Yorsh: Symbolic implementation of the best transformer, VMCAI 2004: the element that describes the
models seen so far is right if no model is outside; else that model joins them. All symbols share each question.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import field
from typing import Final, Protocol

from counterpoint.core.records import dataclass
from counterpoint.logic.interpolation.cuts import Clock
from counterpoint.solver.answers import Model, SolverUnknown, Unsat
from counterpoint.solver.protocol import Solver
from counterpoint.term import build
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import Term, V

QUERY_SECONDS: Final = 1.0
"""Limit of a question; what it does not answer is forgotten."""

JOINS: Final = 24
"""Models after which facts that a model refutes are given up instead of weakened."""


class Fact(Protocol):
    """What a domain says about one symbol."""

    @property
    def subject(self) -> Hashable:
        """What it speaks of: of each subject a domain has at most one fact at a time."""
        ...

    @property
    def formula(self) -> V:
        """It, as a formula over the symbol."""
        ...

    @property
    def rank(self) -> int:
        """Facts of a smaller rank are preferred where they suffice."""
        ...

    def weaker(self, landmarks: Sequence[int], goal: Sequence[int]) -> Sequence[Sequence[V]]:
        """Chains of weaker formulas, those to be preferred first. In a chain the weakest comes first; each formula is
        implied by the next one, and all by this fact. `goal` are landmarks of what the fact is needed for."""
        ...


class Domain(Protocol):
    """Abstract elements as facts about one symbol at a time. `landmarks` are integers, ascending; b is a line between
    b - 1 and b, so bounds worth trying are b <= x and x <= b - 1."""

    @property
    def name(self) -> str:
        """How logs call the method."""
        ...

    def speaks_of(self, symbol: Term) -> bool:
        """Whether there are facts about it."""
        ...

    def facts(self, symbol: Term, values: Sequence[int], landmarks: Sequence[int]) -> Sequence[Fact]:
        """The best description of a set of values (unsigned), in a fixed order; none says anything of all values.

        More values give weaker facts, in finitely many steps.
        """
        ...

    def outer(self, formula: V, symbols: Sequence[Term]) -> Mapping[Term, Iterable[int]]:
        """Landmarks of symbols where the formula holds, besides those of the parts; no solver is asked."""
        ...

    def finer(self, symbol: Term, values: Sequence[int], landmarks: Sequence[int]) -> Iterable[int]:
        """Landmarks that would make the facts about these values stronger; none if they are as strong as can be."""
        ...


class WithoutLandmarks:
    """What domains of bit-vectors have in common whose elements are few."""

    __slots__ = ()

    def speaks_of(self, symbol: Term) -> bool:
        return isinstance(symbol.sort, BitVec)

    def outer(self, formula: V, symbols: Sequence[Term]) -> Mapping[Term, Iterable[int]]:
        return {}

    def finer(self, symbol: Term, values: Sequence[int], landmarks: Sequence[int]) -> Iterable[int]:
        return ()


def width(symbol: Term) -> int:
    """Of a bit-vector."""
    assert isinstance(symbol.sort, BitVec)
    return symbol.sort.width


@dataclass(slots=True)
class BestAbstraction:
    """Facts about symbols where `assumed` and what the solver asserts hold. `values` are of the first model.

    What is assumed must not be asserted in a scope: a core that the solver remembers from there (`Caching`,
    solver/layers.py) leaves it out, also where the same formulas are assumptions later.
    """

    domain: Domain
    solver: Solver
    assumed: Sequence[V]
    clock: Clock
    landmarks: dict[Term, list[int]]
    values: dict[Term, list[int]]
    given_up: set[Hashable] = field(default_factory=set)

    def facts(self) -> list[Fact]:
        """What holds for the values so far and has not been given up."""
        found = [f for symbol, v in self.values.items() for f in self.domain.facts(symbol, v, self.landmarks[symbol])]
        return [fact for fact in found if fact.subject not in self.given_up]

    def grow(self) -> None:
        """Afterwards the facts hold in all models. At most JOINS queries, and one for each fact then."""
        joins = 0
        while facts := self.facts():
            formulas = [fact.formula for fact in facts]
            outside = build.not_(build.conjunction(formulas))
            answer = self.solver.check([*self.assumed, outside], self.clock.left(QUERY_SECONDS))
            if isinstance(answer, Unsat):
                return
            if isinstance(answer, SolverUnknown):
                self.given_up.update(fact.subject for fact in facts)
                return
            joins += 1
            if joins > JOINS:
                held = answer.model.values(formulas)
                self.given_up.update(fact.subject for fact, value in zip(facts, held, strict=True) if value != 1)
            else:
                self._join(answer.model)

    def _join(self, model: Model) -> None:
        for symbol, values in self.values.items():
            value = model.value(symbol)
            if value not in values:
                values.append(value)

    def finer(self) -> dict[Term, list[int]] | None:
        """Landmarks for stronger facts; None if there are no stronger ones."""
        found = {
            symbol: sorted({*marks, *self.domain.finer(symbol, self.values[symbol], marks)})
            for symbol, marks in self.landmarks.items()
        }
        return None if found == self.landmarks else found
