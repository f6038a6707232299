"""What a formula says at once of how large a number is: no question has to be asked then."""

from __future__ import annotations

from counterpoint.term.sorts import BitVec
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import conjuncts


def at_most(number: V, path: V) -> int:
    """What the number does not exceed, as unsigned, where `path` holds: by comparisons with constants among its
    conjuncts, sums and products with constants that do not wrap around, and widths."""
    return _at_most(number, _limits(path))


def _limits(path: V) -> dict[V, int]:
    found: dict[V, int] = {}
    for one in conjuncts(path):
        limited, limit = _limit(one)
        if limited is not None:
            found[limited] = min(limit, found.get(limited, limit))
    return found


def _limit(formula: V) -> tuple[Term | None, int]:
    """What is limited, and by what: by `not c < x`, or `x < c`."""
    if not isinstance(formula, Term):
        return None, 0
    if formula.op is Op.ULT and isinstance(formula.args[0], Term) and isinstance(formula.args[1], int):
        return formula.args[0], formula.args[1] - 1
    inner = formula.args[0] if formula.op is Op.NOT else 0
    if isinstance(inner, Term) and inner.op is Op.ULT:
        least, number = inner.args
        if isinstance(least, int) and isinstance(number, Term):
            return number, least
    return None, 0


def _at_most(number: V, limits: dict[V, int]) -> int:
    if isinstance(number, int):
        return number
    assert isinstance(number.sort, BitVec)
    widest = number.sort.mask
    most = limits.get(number, widest)
    left, right = (*number.args, 0, 0)[:2]
    if number.op is Op.ZEXT:
        most = min(most, _at_most(left, limits))
    elif number.op in (Op.ADD, Op.MUL) and (isinstance(left, int) or isinstance(right, int)):
        parts = _at_most(left, limits), _at_most(right, limits)
        made = sum(parts) if number.op is Op.ADD else parts[0] * parts[1]
        most = min(most, made) if made <= widest else most
    elif number.op is Op.SHL and isinstance(right, int) and right < number.sort.width:
        made = _at_most(left, limits) << right
        most = min(most, made) if made <= widest else most
    return most
