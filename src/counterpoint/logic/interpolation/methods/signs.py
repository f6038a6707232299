"""Signs: x < 0, x == 0, x > 0 and their unions, of bit-vectors read as two's complement."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from counterpoint.core.records import dataclass
from counterpoint.logic.interpolation.best_abstraction import Fact, WithoutLandmarks, width
from counterpoint.logic.interpolation.checked import Checked
from counterpoint.logic.interpolation.domains import ByDomain
from counterpoint.term import build
from counterpoint.term.term import Term, V

NEGATIVE: Final = 1
ZERO: Final = 2
POSITIVE: Final = 4


@dataclass(frozen=True, slots=True)
class Sign:
    """The symbol's sign is one of `signs`, a proper union of NEGATIVE, ZERO and POSITIVE."""

    symbol: Term
    signs: int
    rank: int = 0

    @property
    def subject(self) -> Term:
        return self.symbol

    @property
    def formula(self) -> V:
        symbol, bits = self.symbol, width(self.symbol)
        match self.signs:
            case 1:
                return build.slt(symbol, 0, bits)
            case 2:
                return build.eq(symbol, 0, bits)
            case 3:
                return build.sle(symbol, 0, bits)
            case 4:
                return build.slt(0, symbol, bits)
            case 5:
                return build.ne(symbol, 0, bits)
            case 6:
                return build.sle(0, symbol, bits)
        return 1

    def weaker(self, landmarks: Sequence[int], goal: Sequence[int]) -> Sequence[Sequence[V]]:
        unions = [signs for signs in (6, 3, 5) if signs & self.signs == self.signs and signs != self.signs]
        return [[Sign(self.symbol, signs).formula] for signs in unions]


@dataclass(frozen=True, slots=True)
class Signs(WithoutLandmarks):
    """Seven elements for each symbol, with the empty one."""

    name: str = "signs"

    def facts(self, symbol: Term, values: Sequence[int], landmarks: Sequence[int]) -> Sequence[Fact]:
        sign_bit = 1 << (width(symbol) - 1)
        signs = 0
        for value in values:
            signs |= ZERO if value == 0 else NEGATIVE if value & sign_bit else POSITIVE
        return [Sign(symbol, signs)] if signs != NEGATIVE | ZERO | POSITIVE else []


METHOD: Final = Checked(ByDomain(Signs()))
