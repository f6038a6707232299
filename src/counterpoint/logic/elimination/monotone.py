"""Variables in which a formula is monotone: one value is best for them everywhere (pure literals, and more).

A Bool variable that occurs only without, or only under, negation; a bit-vector that is only compared, always as the
smaller or always as the larger side.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum, auto
from typing import assert_never

from counterpoint.logic.elimination.unknowns import Unknowns
from counterpoint.term.sorts import BOOL, BitVec
from counterpoint.term.term import Op, Term, V


class _Best(Enum):
    FALSE = auto()
    TRUE = auto()
    LEAST = auto()
    GREATEST = auto()
    SIGNED_LEAST = auto()
    SIGNED_GREATEST = auto()
    NONE = auto()


def best_values(parts: Sequence[V], unknowns: Unknowns) -> dict[Term, V]:
    """A value for each such variable v: exists v. parts  <=>  parts with it, for all of them at once."""
    found: dict[Term, _Best] = {}
    seen: set[tuple[Term, bool]] = set()
    stack = [(part, True) for part in parts if isinstance(part, Term)]
    while stack:
        entry = stack.pop()
        term, positive = entry
        if entry in seen or not unknowns.of(term):
            continue
        seen.add(entry)
        if term.op is Op.VARIABLE:
            _note(found, term, _Best.TRUE if positive else _Best.FALSE)
        elif term.op is Op.NOT or term.op is Op.AND:
            below = positive if term.op is Op.AND else not positive
            stack.extend((arg, below) for arg in term.args if isinstance(arg, Term))
        elif term.op is Op.ULT or term.op is Op.SLT:
            _compared(found, term, positive, unknowns)
        else:
            for variable in unknowns.of(term):
                found[variable] = _Best.NONE
    return {v: _value(v, found[v]) for v in unknowns.ordered(found) if found[v] is not _Best.NONE}


def _note(found: dict[Term, _Best], variable: Term, best: _Best) -> None:
    if found.setdefault(variable, best) is not best:
        found[variable] = _Best.NONE


def _compared(found: dict[Term, _Best], term: Term, positive: bool, unknowns: Unknowns) -> None:
    signed = term.op is Op.SLT
    least = _Best.SIGNED_LEAST if signed else _Best.LEAST
    greatest = _Best.SIGNED_GREATEST if signed else _Best.GREATEST
    for side, other, small in ((*term.args, True), (*reversed(term.args), False)):
        inside = unknowns.of(side)
        if not inside:
            continue
        if isinstance(side, Term) and side.op is Op.VARIABLE and side not in unknowns.of(other):
            _note(found, side, least if small is positive else greatest)
        else:
            for variable in inside:
                found[variable] = _Best.NONE


def _value(variable: Term, best: _Best) -> int:
    sort = variable.sort
    assert sort is BOOL or isinstance(sort, BitVec)
    half = 1 << (sort.width - 1)
    match best:
        case _Best.FALSE | _Best.LEAST:
            return 0
        case _Best.TRUE | _Best.GREATEST:
            return sort.mask
        case _Best.SIGNED_LEAST:
            return half
        case _Best.SIGNED_GREATEST:
            return half - 1
        case _Best.NONE:
            raise AssertionError("a variable without a best value")
        case _:
            assert_never(best)
