"""Pointers whose owner their address does not show: OWNED(address, owner), OWNED(address) by address.

The owner is no part of the value that formulas speak of: comparisons drop it (`plain`), solvers never see it.
Most programs make no such term, so what looks for them costs nothing until the first is made.
"""

from __future__ import annotations

from operator import attrgetter

from counterpoint.term.rebuild import rebuild
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import Op, Term, V, intern

_index = attrgetter("index")
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
    if type(value) is int:
        return value
    assert isinstance(value, Term)
    if not value.owns:
        return value
    found = _plain.get(value)
    if found is not None:
        return found
    with_owners, waiting = set[Term](), [value]
    while waiting:
        term = waiting.pop()
        if term not in with_owners:
            with_owners.add(term)
            waiting += [arg for arg in term.args if isinstance(arg, Term) and arg.owns and arg not in _plain]
    for term in sorted(with_owners, key=_index):
        args = [_plain[arg] if isinstance(arg, Term) and arg.owns else arg for arg in term.args]
        _plain[term] = args[0] if term.op is Op.OWNED else rebuild(term, args)
    return _plain[value]
