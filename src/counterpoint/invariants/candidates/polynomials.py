"""Polynomial equations between integers that held at all visits of a place.

Source: Nguyen, Kapur, Weimer, Forrest: Using dynamic analysis to discover polynomial and array invariants (ICSE
2012). Small sets of columns come first, which keeps equations sparse; a product that a known equation expresses
is left out of later ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations

from counterpoint.core.records import dataclass
from counterpoint.invariants.candidates.protocol import Context
from counterpoint.invariants.fitting import Monomial, fit, formula, holds, monomials, unrelated
from counterpoint.invariants.samples import Column, Table, once, tables
from counterpoint.program import model as m
from counterpoint.semantics.facts import Fact
from counterpoint.term.term import Op

MOST = 100
"""Facts per place."""

MOST_COLUMNS = 9
"""Columns (independent, not constant) that products are made of."""

QUOTIENTS = frozenset({"sdiv", "udiv", "lshr", "ashr"})

SURPLUS = 4
"""Different rows beyond the number of products, without which an equation means nothing."""

DEGREES = {2: 6, 3: 3, 4: 3, 5: 3}
"""The highest degree for sets of so many columns; 2 for larger ones."""


@dataclass(frozen=True, slots=True)
class Polynomials:
    """See the module's docstring."""

    name: str = "polynomials"
    stage: int = 0
    summary: str = "Polynomial equations of degree 2 to 6 from traces (Nguyen et al., ICSE 2012)."

    def candidates(self, context: Context) -> Iterator[Fact]:
        if not multiplies(context.graph.program, 1):
            degrees, wide, exact = {2: 2, 3: 2}, False, False
        else:
            degrees, wide = DEGREES, multiplies(context.graph.program, 64)
            exact = divides(context.graph.program)
        for table in tables(context):
            yield from once(_of_place(context, table, degrees, wide, exact), MOST)


def multiplies(program: m.Program, bits: int) -> bool:
    """The program has a product of that width or a wider one."""
    return any(
        isinstance(i, m.Compute) and i.operation == "mul" and i.result.type.bits >= bits
        for function in program.functions.values()
        for block in function.blocks
        for i in block.instructions
    )


def divides(program: m.Program) -> bool:
    """The program has a quotient by a constant: what is divided on both sides of an equation stays equal as integers,
    not modulo 2^w, so that such equations are inductive only in more bits."""
    return any(
        isinstance(i, m.Compute) and i.operation in QUOTIENTS and isinstance(i.operands[1], m.Constant)
        for function in program.functions.values()
        for block in function.blocks
        for i in block.instructions
    )


def _of_place(context: Context, table: Table, degrees: dict[int, int], wide: bool, exact: bool) -> Iterator[Fact]:
    columns = independent([column for column in table.columns if not column.constant])[:MOST_COLUMNS]
    expressed: list[Monomial] = []
    for chosen in _sets(columns):
        group, highest = [columns[k] for k in chosen], degrees.get(len(chosen), 2)
        if unrelated(group, monomials(len(chosen), highest)):
            continue
        for degree in range(2, highest + 1):
            if context.budget.remaining() <= 0:
                return
            products = [
                product
                for product in monomials(len(chosen), degree)
                if not any(_divides(known, tuple(chosen[k] for k in product)) for known in expressed)
            ]
            for vector in fit(group, products, SURPLUS):
                last = max(k for k, a in enumerate(vector) if a)
                if len(products[last]) > 1:
                    expressed.append(tuple(chosen[k] for k in products[last]))
                    yield from _facts(table, group, products, vector, wide, exact)


def _sets(columns: Sequence[Column]) -> list[tuple[int, ...]]:
    """Which columns are looked at together, small sets first; those with a column that the program computes (a
    quotient) come last: equations with remainders in them are hard to show, and rarely say more."""
    everything = tuple(range(len(columns)))
    plain = tuple(k for k in everything if columns[k].variable.op is Op.VARIABLE)
    found: list[tuple[int, ...]] = []
    for among in dict.fromkeys((plain, everything)):
        found += combinations(among, 2)
        if len(among) <= 7:
            found += combinations(among, 3)
        if 5 <= len(among) <= 6:
            found += combinations(among, 4)
        if len(among) > 3:
            found.append(among)
    return list(dict.fromkeys(found))


def _facts(
    table: Table,
    columns: Sequence[Column],
    products: Sequence[Monomial],
    vector: tuple[int, ...],
    wide: bool,
    exact: bool,
) -> Iterator[Fact]:
    """In the columns' width, where there are two; in 64 bits as well if the program multiplies in 64 bits, or where
    quotients are equal as integers only, if these have no more bits."""
    used = {k for product, a in zip(products, vector, strict=True) if a for k in product}
    if len(used) == 1:  # a few values, as a flag has
        return
    widest = max(columns[k].width for k in used)
    degree = max(len(product) for product, a in zip(products, vector, strict=True) if a)
    for width in dict.fromkeys((widest, 64) if wide or (exact and degree * widest <= 64) else (widest,)):
        if holds(columns, products, vector, width):
            yield table.fact(formula(columns, products, vector, width))


def independent(columns: Sequence[Column]) -> list[Column]:
    """The columns without those that linear equations express by the others, best with coefficient 1."""
    left = list(columns)
    while True:
        vectors = fit(left, monomials(len(left), 1))
        if not vectors:
            return left
        coefficients = vectors[0][1:]
        units = [k for k, a in enumerate(coefficients) if abs(a) == 1]
        left.pop(units[-1] if units else max(k for k, a in enumerate(coefficients) if a))


def _divides(known: Monomial, product: Monomial) -> bool:
    return not Counter(known) - Counter(product)


SOURCE = Polynomials()
