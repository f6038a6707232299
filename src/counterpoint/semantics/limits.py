"""What formulas say at once of how large a number is: no question has to be asked then."""

from __future__ import annotations

from collections.abc import Mapping

from counterpoint.term.sorts import BitVec
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import conjuncts


def at_most(number: V, path: V = 1) -> int:
    """What the number does not exceed, as unsigned, where `path` holds: by comparisons with constants among its
    conjuncts, choices, sums and products with constants that do not wrap around, and widths. Linear in these."""
    limits = _limits(path)
    done: dict[V, int] = {}
    waiting = [number]
    while waiting:
        part = waiting[-1]
        inner = [one for one in _parts(part) if one not in done]
        if inner and part not in done:
            waiting += inner
        else:
            done[waiting.pop()] = _most(part, done, limits)
    return done[number]


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


def _parts(number: V) -> tuple[V, ...]:
    """What tells of its size."""
    if isinstance(number, int):
        return ()
    match number.op:
        case Op.ITE:
            return number.args[1:]
        case Op.ZEXT:
            return number.args[:1]
        case Op.ADD | Op.MUL | Op.SHL if any(isinstance(one, int) for one in number.args):
            return number.args
    return ()


def _most(number: V, known: Mapping[V, int], limits: Mapping[V, int]) -> int:
    if isinstance(number, int):
        return number
    assert isinstance(number.sort, BitVec)
    widest = number.sort.mask
    most = limits.get(number, widest)
    parts = [known[one] for one in _parts(number)]
    made = max(parts, default=widest)
    match number.op:
        case Op.ADD if parts:
            made = sum(parts)
        case Op.MUL if parts:
            made = parts[0] * parts[1]
        case Op.SHL if parts:
            made = parts[0] << parts[1] if parts[1] < number.sort.width else widest
    return min(most, made) if made <= widest else most
