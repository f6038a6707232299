"""Pointers whose owner their address does not show: OWNED(address, owner), OWNED(address) by address.

The owner is no part of the value that formulas speak of: comparisons drop it (`plain`), solvers never see it.
Most programs make no such term, so what looks for them costs nothing until the first is made.
"""

from __future__ import annotations

from counterpoint.term.rebuild import rebuild
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import Op, Term, V, intern
from counterpoint.term.walk import reachable_outside

_plain: dict[Term, V] = {}
MADE: list[Term] = []
"""Not empty once such a term was made."""


def owned(address: V, owner: V | None, payload: int, width: int) -> V:
    """`address`, as a pointer into the object that the pointer `owner` belongs to; None: looked up by address."""
    address = plain(address)
    term = intern(Op.OWNED, (address,) if owner is None else (address, owner), payload, BitVec(width))
    if not MADE:
        MADE.append(term)
    return term


def forget() -> None:
    """Computes everything anew from here on."""
    _plain.clear()


def plain(value: V) -> V:
    """The value without owners. Linear in its new nodes; memoised."""
    if not MADE or isinstance(value, int):
        return value
    found = _plain.get(value)
    if found is not None:
        return found
    for term in reachable_outside((value,), _plain):
        args = [arg if isinstance(arg, int) else _plain[arg] for arg in term.args]
        if term.op is Op.OWNED:
            _plain[term] = args[0]
        elif all(new is old for new, old in zip(args, term.args, strict=True)):
            _plain[term] = term
        else:
            _plain[term] = rebuild(term, args)
    return _plain[value]
