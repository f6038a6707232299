"""What a solver says: `Sat(model)`, `Unsat(core)` or `SolverUnknown(reason)`, never a bool."""

from __future__ import annotations

from typing import Protocol, TypeAlias

from counterpoint.core.records import dataclass
from counterpoint.term.evaluate import Evaluation, Given, Value
from counterpoint.term.term import Term, TermError, V


class ModelSource(Protocol):
    """Where a model's values come from: the solver as long as it stands still, afterwards a copy."""

    def value(self, leaf: Term) -> Given | None:
        """The value of a VARIABLE, an ADDRESS, or a BITS_FROM_FP whose float is the NaN; None if free."""
        ...


class Model:
    """An assignment that satisfies what was checked. It stays valid when the solver goes on.

    Values come from the solver for variables only; everything else is evaluated by `term.evaluate`. What the
    solver never saw is 0.
    """

    __slots__ = ("__weakref__", "_evaluation", "_source")

    def __init__(self, source: ModelSource) -> None:
        kept = self._source = [source]  # not `self` in the closure: a cycle would keep the model from going away
        self._evaluation = Evaluation(lambda leaf: kept[0].value(leaf))

    @property
    def source(self) -> ModelSource:
        """Where values come from at present."""
        return self._source[0]

    @source.setter
    def source(self, source: ModelSource) -> None:
        self._source[0] = source

    def value(self, term: V) -> int:
        """The value of a Bool, bit-vector or float. Raises TermError for an array."""
        value = self._evaluation.one(term)
        if isinstance(value, int):
            return value
        raise TermError("the value of an array is no int; use `array`")

    def array(self, term: Term) -> Value:
        """The value of any term, arrays included."""
        (value,) = self._evaluation.of((term,))
        return value

    def values(self, terms: list[V]) -> list[Value]:
        """The values of several terms."""
        return self._evaluation.of(terms)


@dataclass(frozen=True, slots=True)
class Sat:
    """There is a model."""

    model: Model


@dataclass(frozen=True, slots=True)
class Unsat:
    """There is none; `core` are assumptions that suffice for that (not necessarily fewest), in order."""

    core: tuple[V, ...] = ()


@dataclass(frozen=True, slots=True)
class SolverUnknown:
    """No answer. `reason`: "timeout", "memory", "interrupted", or what the backend said."""

    reason: str


Answer: TypeAlias = Sat | Unsat | SolverUnknown
