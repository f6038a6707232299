"""Which combinations of comparisons there are: of one term with constants, and of two terms with each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from counterpoint.term.term import Op, Term, V

_ORDERS: Final = (Op.EQ, Op.ULT, Op.SLT)


def possible(atoms: Sequence[Term]) -> Iterator[list[dict[V, bool]]]:
    """For each group of atoms that compare the same, all values that they have together. Exact for each group.

    Between two neighbouring constants, and between these and the ends of both orders, nothing changes; two terms are
    equal, or ordered in one of two ways by each of the orders.
    """
    groups: dict[tuple[Term, ...], list[Term]] = {}
    for atom in atoms:
        terms = _compared(atom)
        if terms:
            groups.setdefault(terms, []).append(atom)
    for terms, group in groups.items():
        if len(group) > 1:
            found = dict.fromkeys(tuple(_holds(a, terms, values) for a in group) for values in _samples(terms, group))
            yield [dict(zip(group, held, strict=True)) for held in found]


def _compared(atom: Term) -> tuple[Term, ...]:
    """The terms without a value that a comparison is about."""
    if atom.op not in _ORDERS:
        return ()
    return tuple(sorted({arg for arg in atom.args if isinstance(arg, Term)}, key=lambda term: term.index))


def _samples(terms: tuple[Term, ...], group: Sequence[Term]) -> Iterator[tuple[int, ...]]:
    width = _width(group[0])
    mask, half = (1 << width) - 1, 1 << (width - 1)
    if len(terms) > 1:
        yield from ((0, 0), (0, half - 1), (half - 1, 0), (0, mask), (mask, 0))
        return
    constants = [arg for atom in group for arg in atom.args if isinstance(arg, int)]
    near = [value + step for value in (0, half, *constants) for step in (-1, 0, 1)]
    yield from ((value,) for value in sorted({value & mask for value in near}))


def _holds(atom: Term, terms: tuple[Term, ...], values: tuple[int, ...]) -> bool:
    given = dict(zip(terms, values, strict=True))
    left, right = (arg if isinstance(arg, int) else given[arg] for arg in atom.args if isinstance(arg, int | Term))
    if atom.op is Op.EQ:
        return left == right
    if atom.op is Op.SLT:
        half = 1 << (_width(atom) - 1)
        left, right = left ^ half, right ^ half
    return left < right


def _width(atom: Term) -> int:
    """Of what it compares."""
    assert isinstance(atom.payload, int)
    return atom.payload
