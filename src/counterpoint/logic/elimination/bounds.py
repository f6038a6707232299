"""Bounds: lower and upper limits of a variable that is only compared are combined, each with each.

Bit-vectors of one order are integers of a range, so `exists x. l1 <= x, l2 <= x, x <= u` says l1 <= u and l2 <= u,
no more and no less. A strict limit is the next value, where there is one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from counterpoint.core.records import dataclass
from counterpoint.logic.elimination.unknowns import Unknowns
from counterpoint.term import build
from counterpoint.term.boolean import negated
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import Op, Term, V

MOST_PAIRS: Final = 24


@dataclass(frozen=True, slots=True)
class Limit:
    """l <= x or l < x (`strict`), or the same from above; of the signed or the unsigned order."""

    value: V
    strict: bool
    lower: bool
    signed: bool


def combined(parts: Sequence[V], variable: Term, unknowns: Unknowns) -> tuple[list[V], bool] | None:
    """(conjuncts that follow from `exists variable. parts`, whether they are equivalent to it).

    All `parts` mention the variable. None if the variable is no bit-vector, or nothing can be combined.
    """
    sort = variable.sort
    if not isinstance(sort, BitVec):
        return None
    limits: list[Limit] = []
    excluded: list[V] = []
    exact = True
    for part in parts:
        found = _limit(part, variable, unknowns)
        if isinstance(found, Limit):
            limits.append(found)
        elif found is not None:
            excluded.append(found[0])
        else:
            exact = False
    limits = _of_one_order(limits, sort)
    orders = sorted({limit.signed for limit in limits})
    result: list[V] = []
    for signed in orders or [False]:
        of_order = [limit for limit in limits if limit.signed is signed]
        pairs = _pairs(of_order, signed, sort)
        if pairs is None:
            exact = False
            continue
        result += [_nonempty(low, high, sort.width) for low, high in pairs]
        if excluded and len(orders) < 2:
            if len(pairs) == len(excluded) == 1:
                result.append(_not_only(*pairs[0], excluded[0], sort.width))
            else:
                exact = exact and len(excluded) < sort.mask and not limits
    return result, exact and len(orders) < 2


def _limit(part: V, variable: Term, unknowns: Unknowns) -> Limit | tuple[V] | None:
    """What one conjunct says: a limit, a value that the variable does not have, or something else."""
    assert isinstance(part, Term)
    atom, positive = (negated(part), False) if part.op is Op.NOT else (part, True)
    if atom.op not in (Op.ULT, Op.SLT, Op.EQ):
        return None
    left, right = atom.args
    if atom.op is Op.EQ:
        left, right = _without_constant(left, right, variable, atom)
    other = right if left is variable else left
    if (left is not variable and right is not variable) or variable in unknowns.of(other):
        return None
    if atom.op is Op.EQ:
        return None if positive else (other,)
    lower = (right is variable) is positive
    return Limit(other, positive, lower, atom.op is Op.SLT)


def _without_constant(left: V, right: V, variable: Term, atom: Term) -> tuple[V, V]:
    """The sides of an equation with `variable + constant` on one side so that the variable is alone."""
    assert isinstance(atom.payload, int)
    for side, other in ((left, right), (right, left)):
        rest, constant = build.split_constant(side)
        if rest is variable:
            return rest, build.add(other, -constant & ((1 << atom.payload) - 1), atom.payload)
    return left, right


def _of_one_order(limits: list[Limit], sort: BitVec) -> list[Limit]:
    """The same limits, those by constants in the other order where that makes all of them one order's."""
    for signed in (False, True):
        changed: list[Limit] = []
        for limit in limits:
            changed += [limit] if limit.signed is signed else _in_other_order(limit, sort)
        if all(limit.signed is signed for limit in changed):
            return changed
    return limits


def _in_other_order(limit: Limit, sort: BitVec) -> list[Limit]:
    """x between two constants of the other order, where the limit says that; else the limit itself.

    The orders agree on the numbers of one sign bit; the upper half of one order is the lower half of the other.
    """
    value, signed, lower = limit.value, limit.signed, limit.lower
    least = sort.sign_bit if signed else 0
    farthest = least ^ sort.mask if lower else least
    if not isinstance(value, int) or (limit.strict and value == farthest):
        return [limit]
    if limit.strict:
        value = value + (1 if lower else sort.mask) & sort.mask
    if lower is not ((value ^ least) >= sort.sign_bit):
        return [limit]
    return [Limit(value, False, lower, not signed), Limit(farthest, False, not lower, not signed)]


def _pairs(limits: list[Limit], signed: bool, sort: BitVec) -> list[tuple[Limit, Limit]] | None:
    least = sort.sign_bit if signed else 0
    greatest = least ^ sort.mask
    lows = [limit for limit in limits if limit.lower] or [Limit(least, False, True, signed)]
    highs = [limit for limit in limits if not limit.lower] or [Limit(greatest, False, False, signed)]
    if len(lows) * len(highs) > MOST_PAIRS:
        return None
    return [(low, high) for low in lows for high in highs]


def _nonempty(low: Limit, high: Limit, width: int) -> V:
    """Some value is between the limits."""
    less = build.slt if low.signed else build.ult
    if not low.strict and not high.strict:
        return build.not_(less(high.value, low.value, width))
    between = less(low.value, high.value, width)
    if low.strict and high.strict:
        return build.and_(between, build.ne(build.add(low.value, 1, width), high.value, width))
    return between


def _not_only(low: Limit, high: Limit, excluded: V, width: int) -> V:
    """A value other than `excluded` is between the limits, if any is."""
    mask = (1 << width) - 1
    first = build.add(low.value, 1, width) if low.strict else low.value
    last = build.add(high.value, mask, width) if high.strict else high.value
    return build.or_(build.ne(first, last, width), build.ne(first, excluded, width))
