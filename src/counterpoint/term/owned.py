"""Pointers whose owner their address does not show: OWNED(address, owner), OWNED(address) by address.

The owner is no part of the value that formulas speak of: comparisons drop it (`plain`), solvers never see it.
Most programs make no such term, and each term is marked (`owns`), so looking for them costs next to nothing.
"""

from __future__ import annotations

from counterpoint.term.rebuild import rebuild
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import Op, Term, V, intern
from counterpoint.term.walk import reachable_outside

_plain: dict[Term, V] = {}


def owned(address: V, owner: V | None, payload: int, width: int) -> V:
    """`address`, as a pointer into the object that the pointer `owner` belongs to; None: looked up by address."""
    address = plain(address)
    return intern(Op.OWNED, (address,) if owner is None else (address, owner), payload, BitVec(width))


def forget() -> None:
    """Computes everything anew from here on."""
    _plain.clear()


class _Done:
    """The terms that are plain, or whose plain ones are known."""

    def __contains__(self, term: object) -> bool:
        assert isinstance(term, Term)
        return not term.owns or term in _plain


_DONE = _Done()


def plain(value: V) -> V:
    """The value without owners. Linear in its new nodes; memoised."""
    if type(value) is int:
        return value
    assert isinstance(value, Term)
    if not value.owns:
        return value
    found = _plain.get(value)
    if found is not None:
        return found
    for term in reachable_outside((value,), _DONE):
        args = [_plain[arg] if isinstance(arg, Term) and arg.owns else arg for arg in term.args]
        _plain[term] = args[0] if term.op is Op.OWNED else rebuild(term, args)
    return _plain[value]
