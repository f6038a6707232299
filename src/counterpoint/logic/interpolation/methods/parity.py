"""Parity: whether a symbol is odd or even, which is its low bit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from counterpoint.core.records import dataclass
from counterpoint.logic.interpolation.best_abstraction import Fact, WithoutLandmarks, width
from counterpoint.logic.interpolation.checked import Checked
from counterpoint.logic.interpolation.domains import ByDomain
from counterpoint.term import build
from counterpoint.term.term import Term, V


@dataclass(frozen=True, slots=True)
class LowBit:
    """The symbol's low bit is `bit`."""

    symbol: Term
    bit: int
    rank: int = 0

    @property
    def subject(self) -> Term:
        return self.symbol

    @property
    def formula(self) -> V:
        return build.eq(build.extract(0, 0, self.symbol, width(self.symbol)), self.bit, 1)

    def weaker(self, landmarks: Sequence[int], goal: Sequence[int]) -> Sequence[Sequence[V]]:
        return ()


@dataclass(frozen=True, slots=True)
class Parity(WithoutLandmarks):
    """Odd, even, or either."""

    name: str = "parity"

    def facts(self, symbol: Term, values: Sequence[int], landmarks: Sequence[int]) -> Sequence[Fact]:
        bits = {value & 1 for value in values}
        return [LowBit(symbol, values[0] & 1)] if len(bits) == 1 else []


METHOD: Final = Checked(ByDomain(Parity()))
