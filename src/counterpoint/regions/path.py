"""The condition of a path as a chain of conjuncts, so that joins find what their branches share.

Joining `g & c` and `g & !c` gives back `g` itself: a block's condition is its immediate dominator's when it
post-dominates it, without looking at the formula.
"""

from __future__ import annotations

from collections.abc import Sequence

from counterpoint.term import build
from counterpoint.term.term import V


class Path:
    """Conjunction of `literal` and all literals of `parent`; `formula` is the whole of it."""

    __slots__ = ("depth", "formula", "literal", "parent")

    def __init__(self, parent: Path | None, literal: V) -> None:
        self.parent = parent
        self.literal = literal
        self.depth: int = parent.depth + 1 if parent is not None else 0
        self.formula: V = build.and_(parent.formula, literal) if parent is not None else literal

    def extended(self, literal: V) -> Path:
        """This path where also `literal` holds."""
        return self if literal == 1 else Path(self, literal)


def start() -> Path:
    """The path on which nothing has been decided yet."""
    return Path(None, 1)


def join(one: Path, two: Path) -> tuple[Path, V]:
    """The path of either, and a condition that tells `one` from `two` where either holds.

    Linear in the number of decisions since they parted.
    """
    left, right = one, two
    ones: list[V] = []
    twos: list[V] = []
    while left is not right:
        if left.depth >= right.depth:
            ones.append(left.literal)
            assert left.parent is not None
            left = left.parent
        else:
            twos.append(right.literal)
            assert right.parent is not None
            right = right.parent
    ones.reverse()
    twos.reverse()
    if not ones:
        return left, build.not_(build.conjunction(twos))
    if not twos:
        return left, build.conjunction(ones)
    common = left
    either = build.or_(build.conjunction(ones), build.conjunction(twos))
    return common.extended(either), _distinguishing(ones, twos)


def _distinguishing(ones: Sequence[V], twos: Sequence[V]) -> V:
    """A short condition true on `ones` and false on `twos`: usually the branch where they parted."""
    opposite = build.not_(twos[0])
    if ones[0] is opposite:
        return ones[0]
    if build.and_(ones[0], twos[0]) == 0:
        return ones[0]
    return build.conjunction(ones)
