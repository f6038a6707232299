"""Constant propagation: the symbols that have one value only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from counterpoint.core.records import dataclass
from counterpoint.logic.interpolation.best_abstraction import Fact, WithoutLandmarks, width
from counterpoint.logic.interpolation.checked import Checked
from counterpoint.logic.interpolation.domains import ByDomain
from counterpoint.term import build
from counterpoint.term.sorts import BOOL, BitVec
from counterpoint.term.term import Term, V


@dataclass(frozen=True, slots=True)
class Constant:
    """The symbol is `value`."""

    symbol: Term
    value: int
    rank: int = 0

    @property
    def subject(self) -> Term:
        return self.symbol

    @property
    def formula(self) -> V:
        if self.symbol.sort is BOOL:
            return self.symbol if self.value else build.not_(self.symbol)
        return build.eq(self.symbol, self.value, width(self.symbol))

    def weaker(self, landmarks: Sequence[int], goal: Sequence[int]) -> Sequence[Sequence[V]]:
        return ()


@dataclass(frozen=True, slots=True)
class Constants(WithoutLandmarks):
    """One value, or any; of Bools too."""

    name: str = "constants"

    def speaks_of(self, symbol: Term) -> bool:
        return isinstance(symbol.sort, BitVec) or symbol.sort is BOOL

    def facts(self, symbol: Term, values: Sequence[int], landmarks: Sequence[int]) -> Sequence[Fact]:
        return [Constant(symbol, values[0])] if len(values) == 1 else []


METHOD: Final = Checked(ByDomain(Constants()))
