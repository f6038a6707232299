"""Products of unknowns as variables, with lemmas that hold for the true products.

Soundness: each model of the formulas is one of their abstraction and of every lemma here, when the variable of a
product gets the product's value. So if the abstraction with lemmas has no model, the formulas have none. For that
each lemma must follow from value = left * right (modulo 2^width) and from the intervals, which hold in each model of
the formulas. Inequalities between sums are stated in as many bits as their integers need by the intervals, so they
are inequalities of integers. Lemmas may be left out at will.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from counterpoint.core.records import dataclass
from counterpoint.solver.polynomial.case import below_float_bits, is_product
from counterpoint.solver.polynomial.forms import width_of
from counterpoint.solver.polynomial.intervals import VIEWS, Intervals, as_integer, extremes
from counterpoint.solver.polynomial.ranges import Range
from counterpoint.term import build
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import Term, V
from counterpoint.term.walk import reachable, substitute_all, variables

MOST_LOW_BITS: Final = 8
"""Of so many low bits the multiplication may be asserted as it is."""

MOST_COMPARED: Final = 16
"""So many exact products are compared with each other."""


@dataclass(frozen=True, slots=True)
class Product:
    """`value` stands for left * right modulo 2^width; in `left` and `right` products are variables as well.

    The ranges are of the integers that left, right and the product are, signed or else unsigned; the product's is
    that of the integer product, and `exact` says that it surely fits: the bits are then the integer product's.
    """

    value: Term
    left: V
    right: V
    width: int
    signed: bool
    exact: bool
    left_range: Range
    right_range: Range
    value_range: Range


@dataclass(frozen=True, slots=True)
class Abstraction:
    """Formulas with a variable for each product, and lemmas about these; more from `violated`."""

    formulas: tuple[V, ...]
    products: tuple[Product, ...]

    def violated(self, value: Callable[[V], int]) -> list[V]:
        """Lemmas that are false where `value` gives the terms' values; none if all products are right there."""
        found: dict[V, None] = {}
        wrong: set[Term] = set()
        candidates: list[V] = []
        for product in self.products:
            a, b, p = (value(term) for term in (product.left, product.right, product.value))
            if (a * b - p) % (1 << product.width):
                wrong.add(product.value)
                found.update(dict.fromkeys(_at(product, a, b, p)))
                candidates += corners(product)
        if wrong:
            for one, other in _pairs(self.products):
                if one.value in wrong or other.value in wrong:
                    candidates += monotone(one, other)
            candidates += _square_of_sums(self.products)
        found.update(dict.fromkeys(lemma for lemma in candidates if not value(lemma)))
        return list(found)


def abstracted(formulas: Sequence[V], intervals: Intervals) -> Abstraction:
    """The formulas, in normal form so that equal products are one term, with variables for products."""
    opaque = below_float_bits(formulas)
    names = {term.payload for term in variables(*formulas)}
    prefix = "product"
    while any(str(name).startswith(prefix) for name in names):
        prefix += "!"
    terms = [term for term in reachable(formulas) if is_product(term) and term not in opaque]
    mapping: dict[Term, V] = {
        term: build.variable(f"{prefix}!{k}", BitVec(width_of(term))) for k, term in enumerate(terms)
    }
    sides = iter(substitute_all([arg for term in terms for arg in term.args], mapping))
    products = tuple(_product(term, mapping[term], next(sides), next(sides), intervals) for term in terms)
    lemmas = [lemma for product in products for lemma in initial(product)]
    return Abstraction((*substitute_all(formulas, mapping), *lemmas), products)


def _product(term: Term, value: V, left: V, right: V, intervals: Intervals) -> Product:
    """Read as signed or unsigned: what is surely exact, unsigned where both are."""
    assert isinstance(value, Term)
    width = width_of(term)
    a, b = term.args
    exact = [signed for signed in VIEWS if intervals.product(a, b, width, signed) is not None]
    signed = exact[0] if exact else True
    ranges = [intervals.of(side, width, signed) for side in (a, b, term)]
    return Product(value, left, right, width, signed, bool(exact), ranges[0], ranges[1], ranges[2])


# ---------------------------------------------------------------- lemmas


def initial(product: Product) -> Iterator[V]:
    """The interval; the lowest bits; what 0 and, in an exact product of what is not negative, 1 says."""
    p, x, y, width = product.value, product.left, product.right, product.width
    low, high = product.value_range
    least, greatest = extremes(width, product.signed)
    below = build.slt if product.signed else build.ult
    mask = (1 << width) - 1
    if low > least:
        yield build.not_(below(p, low & mask, width))
    if high < greatest:
        yield build.not_(below(high & mask, p, width))
    yield low_bits(product, min(2, width))
    sides = ((x, y),) if x is y else ((x, y), (y, x))
    for one, other in sides:
        yield build.implies(build.eq(one, 0, width), build.eq(p, 0, width))
        if product.exact and product.left_range[0] >= 0 and product.right_range[0] >= 0:
            # one >= 1 and other >= 0: one * other >= other.
            yield build.or_(build.eq(one, 0, width), build.ule(other, p, width))


def low_bits(product: Product, count: int) -> V:
    """The low bits of a product are the product of the low bits."""
    p, x, y = (
        build.extract(count - 1, 0, term, product.width) for term in (product.value, product.left, product.right)
    )
    return build.eq(p, build.mul(x, y, count), count)


def _at(product: Product, a: int, b: int, p: int) -> Iterator[V]:
    """What is violated where left is a, right is b and the product's variable is p, other than a * b."""
    width = product.width
    wrong = (a * b ^ p) & ((1 << width) - 1)
    count = (wrong & -wrong).bit_length()
    if count <= min(MOST_LOW_BITS, width):
        yield low_bits(product, count)
    yield with_value(product.value, product.left, a, product.right, width)
    yield with_value(product.value, product.right, b, product.left, width)
    if product.exact:
        a, b, p = (as_integer(value, width, product.signed) for value in (a, b, p))
        if product.left is product.right:
            yield from square(product, a, p)
        else:
            yield tangent(product, a, b, p < a * b)


def with_value(p: V, one: V, value: int, other: V, width: int) -> V:
    """If one factor is `value`, the product is that times the other."""
    return build.implies(build.eq(one, value, width), build.eq(p, build.mul(other, value, width), width))


def tangent(product: Product, a: int, b: int, below: bool) -> V:
    """The product is not below, or not above, the plane that touches it at (a, b).

    (left - a) * (right - b) >= 0, where both differences have one sign, and <= 0, where they differ.
    """
    x, y, value, width, signed = product.left, product.right, product.value, product.width, product.signed
    x_low, y_low = _below(x, a, width, signed), _below(y, b, width, signed)
    x_high, y_high = _below(a, x, width, signed), _below(b, y, width, signed)
    not_ = build.not_
    if below:
        where = build.or_(build.and_(not_(x_low), not_(y_low)), build.and_(not_(x_high), not_(y_high)))
    else:
        where = build.or_(build.and_(not_(x_low), not_(y_high)), build.and_(not_(x_high), not_(y_low)))
    sign = 1 if below else -1
    parts = [
        (sign, value, product.value_range),
        (-sign * b, x, product.left_range),
        (-sign * a, y, product.right_range),
    ]
    return build.implies(where, not_negative(parts, sign * a * b, width, signed))


def corners(product: Product) -> Iterator[V]:
    """Signs of an exact product, by tangents at 0 and 1, and its tangents at the ends of the factors' ranges."""
    if product.exact:
        (a, b), (c, d) = product.left_range, product.right_range
        points = [(0, 0), *((x, y) for x in (a, b, -1, 1) for y in (c, d, -1, 1))]
        for x, y in dict.fromkeys(points):
            if a <= x <= b and c <= y <= d:
                yield tangent(product, x, y, True)
                yield tangent(product, x, y, False)


def square(product: Product, a: int, p: int) -> Iterator[V]:
    """Lines through (a, a * a) on the side of it where p, other than a * a, is.

    No integer is between a and a + 1, so (x - a) * (x - a - 1) >= 0; and (x - a) * (x - end) <= 0 between a and an
    end of x's range.
    """
    x, width, signed = product.left, product.width, product.signed

    def line(sign: int, a: int, b: int) -> V:
        """sign * (x - a) * (x - b) >= 0, multiplied out."""
        parts = [(sign, product.value, product.value_range), (-sign * (a + b), x, product.left_range)]
        return not_negative(parts, sign * a * b, width, signed)

    if p < a * a:
        yield line(1, a, a + 1)
        yield line(1, a, a - 1)
    else:
        low, high = product.left_range
        yield build.or_(_below(a, x, width, signed), line(-1, low, a))
        yield build.or_(_below(x, a, width, signed), line(-1, a, high))


def _below(left: V, right: V, width: int, signed: bool) -> V:
    """left < right; ints are integers."""
    mask = (1 << width) - 1
    left, right = (side & mask if isinstance(side, int) else side for side in (left, right))
    return build.slt(left, right, width) if signed else build.ult(left, right, width)


def not_negative(parts: Sequence[tuple[int, V, Range]], constant: int, width: int, signed: bool) -> V:
    """constant + the sum of factor * term >= 0, as integers, where the terms are in their ranges."""
    most = abs(constant) + sum(abs(factor) * max(map(abs, ends)) for factor, _, ends in parts)
    bits = max(width, most.bit_length() + 1)
    extend = build.sext if signed else build.zext
    total: V = constant & ((1 << bits) - 1)
    for factor, term, _ in parts:
        wide = extend(term, width, bits)
        total = build.add(total, build.mul(wide, factor & ((1 << bits) - 1), bits), bits)
    return build.not_(build.slt(total, 0, bits))


def _pairs(products: Sequence[Product]) -> Iterator[tuple[Product, Product]]:
    exact = [product for product in products if product.exact][:MOST_COMPARED]
    for k, one in enumerate(exact):
        for other in exact[:k]:
            if (one.width, one.signed) == (other.width, other.signed):
                yield one, other


def monotone(one: Product, other: Product) -> Iterator[V]:
    """How two exact products of factors that are not negative compare, by how their factors do.

    With a common factor c: x < z implies x*c + c <= z*c. Without: x <= z and y <= u imply x*y <= z*u.
    """
    if min(*one.left_range, *one.right_range, *other.left_range, *other.right_range) < 0:
        return
    width, signed = one.width, one.signed
    p, q = (one.value, one.value_range), (other.value, other.value_range)
    for x, y, y_range in ((one.left, one.right, one.right_range), (one.right, one.left, one.left_range)):
        for z, u in ((other.left, other.right), (other.right, other.left)):
            if y is u:
                shared = (-1, y, y_range)
                more = not_negative([(1, *q), (-1, *p), shared], 0, width, signed)
                less = not_negative([(1, *p), (-1, *q), shared], 0, width, signed)
                yield build.implies(_below(x, z, width, signed), more)
                yield build.implies(_below(z, x, width, signed), less)
            else:
                for above, (r, s), (v, t) in ((False, (x, z), (y, u)), (True, (z, x), (u, y))):
                    ordered = build.and_(build.ule(r, s, width), build.ule(v, t, width))
                    least, most = (q, p) if above else (p, q)
                    yield build.implies(ordered, not_negative([(1, *most), (-1, *least)], 0, width, signed))


def _square_of_sums(products: Sequence[Product]) -> Iterator[V]:
    """(x - y)^2 >= 0 and (x + y)^2 >= 0 where x * x, y * y and x * y are there and exact."""
    squares = {(p.left, p.signed): p for p in products if p.exact and p.left is p.right}
    for product in products:
        x, y = (squares.get((side, product.signed)) for side in (product.left, product.right))
        if product.exact and x is not None and y is not None and x is not y:
            parts = [(1, x.value, x.value_range), (1, y.value, y.value_range)]
            for factor in (-2, 2):
                mixed = (factor, product.value, product.value_range)
                yield not_negative([*parts, mixed], 0, product.width, product.signed)
