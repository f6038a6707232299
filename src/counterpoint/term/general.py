"""Equations between terms, made general: what they do not look into becomes an unknown.

An equation that holds for all values of these unknowns holds for the terms in their place. So general ones are asked
about: they are small, and few are different. One that is too general may fail; then less of it is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from counterpoint.term.sorts import BOOL, BitVec, Float, Sort
from counterpoint.term.term import Op, Term, V, intern, variable

FARTHEST = 4_000
"""So many nodes below an application are looked at, to find what its answer is made of."""


def general(applied: V, answer: V, sort: Sort, depth: int) -> Term:
    """`applied = answer` as a formula; from the application, and from the ways to what the answer shares with it,
    terms that are more than `depth` away are unknowns. The same formula for equations that differ only in these.
    """
    below = _below(applied)
    top, shared = _near([applied], depth), _shared(answer, below)
    kept = set(top)
    for term in shared:
        way = _way(term, below)
        kept |= _near(way[1:], depth - 1)
        kept.update(way)
    kept -= {term for term in shared if term not in top}
    return _Renamed(kept, set(below)).equation(applied, answer, sort)


def falsified(formulas: Iterable[Term]) -> Term:
    """That one of them is false, as no constructor has simplified it."""
    whole: V = 1
    for formula in formulas:
        whole = intern(Op.AND, (whole, formula), None, BOOL)
    return intern(Op.NOT, (whole,), None, BOOL)


def seen(value: V) -> V:
    """What formulas see of a value: owners are no part of it."""
    while isinstance(value, Term) and value.op is Op.OWNED:
        value = value.args[0]
    return value


def _parts(term: Term) -> Iterator[Term]:
    for arg in term.args:
        arg = seen(arg)
        if isinstance(arg, Term):
            yield arg


def _below(root: V) -> dict[Term, Term | None]:
    """The nearest terms below, the root included, each with the one above it on a shortest way."""
    root = seen(root)
    if not isinstance(root, Term):
        return {}
    found: dict[Term, Term | None] = {root: None}
    level = [root]
    while level and len(found) < FARTHEST:
        following: list[Term] = []
        for term in level:
            for part in _parts(term):
                if part not in found:
                    found[part] = term
                    following.append(part)
        level = following
    return found


def _near(roots: list[V] | list[Term], depth: int) -> set[Term]:
    """The terms less than `depth` steps below the roots."""
    level = [term for root in roots if isinstance(term := seen(root), Term)]
    found = set(level) if depth > 0 else set()
    while level and depth > 1:
        level = list(dict.fromkeys(part for term in level for part in _parts(term) if part not in found))
        found.update(level)
        depth -= 1
    return found


def _shared(answer: V, below: dict[Term, Term | None]) -> list[Term]:
    """The first terms of the answer, from its root on, that are below the application."""
    found: dict[Term, None] = {}
    done: set[Term] = set()
    stack = [term] if isinstance(term := seen(answer), Term) else []
    while stack and len(done) < FARTHEST:
        term = stack.pop()
        if term in done:
            continue
        done.add(term)
        if term in below:
            found[term] = None
        else:
            stack += _parts(term)
    return list(found)


def _way(term: Term, below: dict[Term, Term | None]) -> list[Term]:
    """From the application to the term."""
    way: list[Term] = []
    step: Term | None = term
    while step is not None:
        way.append(step)
        step = below[step]
    return way[::-1]


class _Renamed:
    """Terms with unknowns, numbered as they are met, in the place of those below the application that are not kept."""

    def __init__(self, kept: set[Term], below: set[Term]) -> None:
        self.kept = kept
        self.below = below
        self.done: dict[Term, Term] = {}
        self.given: list[Term] = []
        self.unknowns = 0

    def equation(self, applied: V, answer: V, sort: Sort) -> Term:
        left, right = self._all(applied, sort), self._all(answer, sort)
        formula = intern(Op.EQ, (left, right), 1, BOOL)
        for known in self.given:
            wrong = intern(Op.AND, (known, intern(Op.NOT, (formula,), None, BOOL)), None, BOOL)
            formula = intern(Op.NOT, (wrong,), None, BOOL)
        return formula

    def _all(self, value: V, sort: Sort) -> Term:
        value = seen(value)
        if not isinstance(value, Term):
            return intern(Op.ITE, (1, value, value), None, sort)
        stack = [value]
        while stack:
            term = stack[-1]
            if term in self.done:
                stack.pop()
                continue
            waiting = [] if self._is_unknown(term) else [part for part in _parts(term) if part not in self.done]
            if waiting:
                stack += reversed(waiting)
                continue
            stack.pop()
            self.done[term] = self._renamed(term)
        return self.done[value]

    def _is_unknown(self, term: Term) -> bool:
        return not term.args or (term in self.below and term not in self.kept)

    def _renamed(self, term: Term) -> Term:
        if self._is_unknown(term) and term.op is not Op.CONSTANT_ARRAY:
            return self._unknown(term.sort)
        args = tuple(value if isinstance(value := seen(arg), int) else self.done[value] for arg in term.args)
        if term.op is not Op.BITS_FROM_FP:
            return intern(term.op, args, term.payload, term.sort)
        assert isinstance(args[0], Term) and isinstance(args[0].sort, Float)
        bits = self._unknown(BitVec(args[0].sort.width))
        read = intern(Op.FP_FROM_BITS, (bits,), None, args[0].sort)
        self.given.append(intern(Op.EQ, (read, args[0]), 1, BOOL))
        return bits

    def _unknown(self, sort: Sort) -> Term:
        self.unknowns += 1
        return variable(f"?{self.unknowns} {sort!r}", sort)
