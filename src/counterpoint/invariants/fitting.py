"""Polynomial equations that hold for all rows of a few columns, and their formulas.

Equations are found over the integers on the rows with the smallest numbers, in which nothing has wrapped around, and
kept if they hold modulo 2**width on all rows; a row that refutes one joins those that are learned from.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, combinations_with_replacement, islice
from math import prod
from typing import TypeAlias

from counterpoint.invariants.nullspace import independent_columns, nullspace
from counterpoint.invariants.samples import Column, at_width, equation
from counterpoint.term import build
from counterpoint.term.term import V

Monomial: TypeAlias = tuple[int, ...]
"""The columns of a product, rising, each as often as it occurs; () is 1."""

COEFFICIENT = 100
"""The largest coefficient of a product of columns."""

SMALL = 1 << 24
"""A number below this one has hardly wrapped around."""

ROUNDS = 6
"""How often refuting rows are added."""

TRIPLES = 10
"""Columns of which all triples are tried for linear equalities."""


def monomials(columns: int, degree: int) -> list[Monomial]:
    """All products of up to `degree` columns, by degree."""
    return [m for d in range(degree + 1) for m in combinations_with_replacement(range(columns), d)]


def fit(columns: Sequence[Column], products: Sequence[Monomial], surplus: int = 0) -> list[tuple[int, ...]]:
    """Vectors v with sum of v[k] * products[k] = 0; `products` starts with (), and each vector's last product is
    expressed by those before it. Empty if there are not `surplus` more different rows than products.
    """
    if not columns:
        return []
    mask = (1 << max(column.width for column in columns)) - 1
    rows = _rows(columns)
    if len(rows) < len(products) + surplus:
        return []
    learned = _values(_spread(rows, len(products) + 10), products)
    vectors = nullspace(learned, COEFFICIENT)
    for _ in range(ROUNDS):
        wrong = (row for row in rows if any(_at(vector, products, row) & mask for vector in vectors))
        some = list(islice(wrong, len(products)))
        if not some:
            return vectors
        learned += _values(some, products)
        vectors = nullspace(learned, COEFFICIENT)
    return [vector for vector in vectors if not any(_at(vector, products, row) & mask for row in rows)]


def unrelated(columns: Sequence[Column], products: Sequence[Monomial]) -> bool:
    """No equation between the products holds: `fit` would find none, nor for fewer of them."""
    return independent_columns(_values(_spread(_rows(columns), 2 * len(products) + 10), products))


def _rows(columns: Sequence[Column]) -> list[tuple[int, ...]]:
    """Different rows, those with small numbers first."""
    rows = list(dict.fromkeys(zip(*(column.signed for column in columns), strict=True)))
    rows.sort(key=lambda row: max(map(abs, row)))
    return rows


def _spread(rows: Sequence[tuple[int, ...]], count: int) -> Sequence[tuple[int, ...]]:
    """About `count` of the rows whose numbers are small, at equal distances; of large ones as few as possible."""
    small = sum(max(map(abs, row)) < SMALL for row in rows)
    chosen = rows[: max(small, count)]
    return chosen[:: max(len(chosen) // count, 1)]


def _values(rows: Sequence[Sequence[int]], products: Sequence[Monomial]) -> list[tuple[int, ...]]:
    return [tuple([prod([row[k] for k in product]) for product in products]) for row in rows]


def _at(vector: Sequence[int], products: Sequence[Monomial], row: Sequence[int]) -> int:
    return sum(a * prod([row[k] for k in product]) for a, product in zip(vector, products, strict=True) if a)


def formula(
    columns: Sequence[Column],
    products: Sequence[Monomial],
    vector: Sequence[int],
    width: int,
    *,
    unsigned: bool = False,
) -> V:
    """The equation modulo 2**width, of columns extended or cut to that width."""
    terms: list[tuple[int, V]] = []
    for product, coefficient in zip(products, vector, strict=True):
        if product and coefficient:
            value: V = at_width(columns[product[0]], width, unsigned=unsigned)
            for k in product[1:]:
                value = build.mul(value, at_width(columns[k], width, unsigned=unsigned), width)
            terms.append((coefficient, value))
    return equation(terms, -vector[0], width)


def holds(
    columns: Sequence[Column],
    products: Sequence[Monomial],
    vector: Sequence[int],
    width: int,
    *,
    unsigned: bool = False,
) -> bool:
    """Whether the equation holds modulo 2**width at all visits."""
    mask = (1 << width) - 1
    used = [(a, product) for a, product in zip(vector, products, strict=True) if a]
    rows = zip(*(column.unsigned if unsigned else column.signed for column in columns), strict=True)
    return not any(sum(a * prod(row[k] for k in product) for a, product in used) & mask for row in rows)


# ---------------------------------------------------------------- linear equalities


def linear(columns: Sequence[Column], triples: int = TRIPLES) -> Iterator[V]:
    """Constants; then equalities of two columns, of all, and of three (so that a true one is not lost in the sum with
    a guessed one), if there are at most `triples`. Columns of different widths are compared in each of them.
    """
    for column in columns:
        if column.constant and column.unsigned:
            yield equation([(1, column.variable)], column.signed[0], column.width)
    changing = [column for column in columns if not column.constant]
    groups: list[Sequence[Column]] = list(combinations(changing, 2))
    if len(changing) > 3:
        groups.append(changing)
    if len(changing) <= triples:
        groups += combinations(changing, 3)
    for group in groups:
        products = monomials(len(group), 1)
        for vector in fit(group, products):
            used = [column for a, column in zip(vector[1:], group, strict=True) if a]
            for width, unsigned in _ways(sorted({column.width for column in used})):
                if holds(group, products, vector, width, unsigned=unsigned):
                    yield formula(group, products, vector, width, unsigned=unsigned)


def _ways(widths: Sequence[int]) -> list[tuple[int, bool]]:
    """(width, whether columns are unsigned): in the widest column's width, then in that of the narrowest."""
    if len(widths) == 1:
        return [(widths[0], False)]
    return [(widths[-1], False), (widths[-1], True), (widths[0], False)]
