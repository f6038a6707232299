"""Intervals: bounds of a symbol, signed where these suffice, else unsigned too.

Bounds are first looked for among the constants of the parts and what interval arithmetic (logic/intervals.py) says;
only if these do not refute the trace are exact ones found, by halving.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from counterpoint.core.records import dataclass
from counterpoint.logic import ranges
from counterpoint.logic.interpolation.best_abstraction import Fact, WithoutLandmarks, width
from counterpoint.logic.interpolation.checked import Checked
from counterpoint.logic.interpolation.domains import ByDomain
from counterpoint.logic.intervals import Evaluation
from counterpoint.term import build
from counterpoint.term.term import Term, V


@dataclass(frozen=True, slots=True)
class Scale:
    """A reading of words of `width` bits as integers from `least` to `greatest`."""

    width: int
    signed: bool

    @property
    def least(self) -> int:
        return -(1 << (self.width - 1)) if self.signed else 0

    @property
    def greatest(self) -> int:
        return self.least + (1 << self.width) - 1

    def read(self, value: int) -> int:
        """The integer that a word is."""
        return ranges.signed_of(value, self.width) if self.signed else value

    def limits(self, landmarks: Iterable[int], upper: bool) -> list[int]:
        """Bounds at the landmarks that say something, ascending."""
        return sorted({b - upper for b in landmarks if self.least < b <= self.greatest})

    def span(self, values: Sequence[int], landmarks: Sequence[int]) -> tuple[int, int]:
        """The closest limits around these words."""
        read = [self.read(value) for value in values]
        lows, highs = self.limits(landmarks, upper=False), self.limits(landmarks, upper=True)
        below, above = bisect_right(lows, min(read)), bisect_left(highs, max(read))
        return lows[below - 1] if below else self.least, highs[above] if above < len(highs) else self.greatest


@dataclass(frozen=True, slots=True)
class Bound:
    """`limit <= symbol`, or `symbol <= limit` if `upper`; on the scale."""

    symbol: Term
    scale: Scale
    upper: bool
    limit: int

    @property
    def subject(self) -> tuple[Term, Scale, bool]:
        return self.symbol, self.scale, self.upper

    @property
    def rank(self) -> int:
        return 0 if self.scale.signed else 1

    @property
    def formula(self) -> V:
        scale = self.scale
        at_most = build.sle if scale.signed else build.ule
        limit = self.limit & ((1 << scale.width) - 1)
        return at_most(self.symbol, limit, scale.width) if self.upper else at_most(limit, self.symbol, scale.width)

    def weaker(self, landmarks: Sequence[int], goal: Sequence[int]) -> Sequence[Sequence[V]]:
        """Limits at landmarks (or next to the end of the scale), so that several cuts may have the same one; from a
        limit elsewhere also those next to the goal's, which follow a counter step by step."""
        scale = self.scale
        preferred = [*landmarks, scale.least + 1, scale.greatest]
        nearby = [b + by for b in goal for by in (-1, 0, 1)]
        if self.limit in scale.limits(preferred, self.upper):
            return [self._beyond(preferred)]
        return [self._beyond(preferred), self._beyond(nearby)]

    def _beyond(self, landmarks: Sequence[int]) -> list[V]:
        limits = self.scale.limits(landmarks, self.upper)
        if self.upper:
            limits.reverse()
        weaker = [at for at in limits if (at > self.limit if self.upper else at < self.limit)]
        return [Bound(self.symbol, self.scale, self.upper, at).formula for at in weaker]


@dataclass(frozen=True, slots=True)
class Intervals(WithoutLandmarks):
    """Up to four bounds for each symbol."""

    name: str = "intervals"

    def facts(self, symbol: Term, values: Sequence[int], landmarks: Sequence[int]) -> Sequence[Fact]:
        found: list[Fact] = []
        for scale in _scales(symbol):
            low, high = scale.span(values, landmarks)
            if low > scale.least:
                found.append(Bound(symbol, scale, False, low))
            if high < scale.greatest:
                found.append(Bound(symbol, scale, True, high))
        return found

    def outer(self, formula: V, symbols: Sequence[Term]) -> Mapping[Term, Iterable[int]]:
        evaluation = Evaluation({})
        if not evaluation.assume(formula):
            return {}
        found: dict[Term, Iterable[int]] = {}
        for symbol in symbols:
            known = evaluation.of(symbol, width(symbol))
            if known is not None:
                found[symbol] = (known.low, known.high + 1, known.lowest, known.highest + 1)
        return found

    def finer(self, symbol: Term, values: Sequence[int], landmarks: Sequence[int]) -> Iterable[int]:
        """The bound that has been seen, and what halves the way from there to the landmark."""
        for scale in _scales(symbol):
            low, high = scale.span(values, landmarks)
            read = [scale.read(value) for value in values]
            for seen, limit, upper in ((min(read), low, 0), (max(read), high, 1)):
                if seen != limit:
                    yield from (seen + upper, (seen + limit) // 2 + upper)


def _scales(symbol: Term) -> tuple[Scale, Scale]:
    return Scale(width(symbol), True), Scale(width(symbol), False)


METHOD: Final = Checked(ByDomain(Intervals()))
