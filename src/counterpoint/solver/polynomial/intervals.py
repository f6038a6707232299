"""Intervals of bit-vector terms, signed and unsigned, that hold in every model of a conjunction.

Each step is one of three: the operator's result from its arguments' intervals as integers, where that cannot
overflow; an argument's interval from the result's; what a conjunct says about the terms in it. All hold in each
model, whatever their order, so stopping after some rounds is sound. The converse does not hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isqrt
from typing import Final

from counterpoint.core.errors import CounterpointError
from counterpoint.solver.polynomial.forms import operand_width, width_of
from counterpoint.solver.polynomial.ranges import Range
from counterpoint.solver.polynomial.ring import Steps
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import reachable

ROUNDS: Final = 8

VIEWS: Final = (False, True)
"""How bits are read: as unsigned and as signed integers."""


class Contradiction(CounterpointError):
    """Some term has no value left: the conjunction has no model."""


def extremes(width: int, signed: bool) -> Range:
    """The least and the greatest integer of `width` bits."""
    half = 1 << (width - 1)
    return (-half, half - 1) if signed else (0, 2 * half - 1)


def as_integer(value: int, width: int, signed: bool) -> int:
    """The integer that the bits `value` are."""
    return value - (1 << width) if signed and value >> (width - 1) else value


def times(a: Range, b: Range) -> Range:
    """What products of the integers can be."""
    corners = [x * y for x in a for y in b]
    return min(corners), max(corners)


class Intervals:
    """Intervals for the terms of `formulas`, each of which must hold. Raises Contradiction, OutOfSteps."""

    def __init__(self, formulas: Sequence[V], steps: Steps) -> None:
        self._found: dict[tuple[Term, bool], Range] = {}
        terms = [term for term in reachable(formulas) if isinstance(term.sort, BitVec)]
        for _ in range(ROUNDS):
            self._changed = False
            steps.spend(4 * len(terms) + len(formulas))
            for term in terms:
                self._upwards(term)
            for formula in formulas:
                self._assume(formula, True)
            for term in reversed(terms):
                self._downwards(term)
            if not self._changed:
                break

    def of(self, value: V, width: int, signed: bool) -> Range:
        """The interval of a bit-vector of `width` bits."""
        if isinstance(value, int):
            integer = as_integer(value, width, signed)
            return integer, integer
        return self._found.get((value, signed)) or extremes(width, signed)

    def product(self, left: V, right: V, width: int, signed: bool) -> Range | None:
        """The interval of the integer product if it surely fits `width` bits."""
        low, high = times(self.of(left, width, signed), self.of(right, width, signed))
        least, greatest = extremes(width, signed)
        if low < least or high > greatest:
            return None
        return (max(low, 0), high) if left is right else (low, high)

    def truth(self, formula: V) -> bool | None:
        """Whether the formula surely holds (True), or surely does not (False)."""
        if isinstance(formula, int):
            return bool(formula)
        match formula.op:
            case Op.NOT:
                inner = self.truth(formula.args[0])
                return None if inner is None else not inner
            case Op.ULT | Op.SLT:
                (a, b), (c, d) = self._sides(formula, formula.op is Op.SLT)
                return True if b < c else False if a >= d else None
            case Op.EQ:
                for signed in VIEWS:
                    (a, b), (c, d) = self._sides(formula, signed)
                    if b < c or d < a:
                        return False
        return None

    def _sides(self, comparison: Term, signed: bool) -> tuple[Range, Range]:
        width = operand_width(comparison)
        return self.of(comparison.args[0], width, signed), self.of(comparison.args[1], width, signed)

    def _meet(self, value: V, width: int, signed: bool, low: int, high: int) -> None:
        """`value` is in low .. high; read the other way as well, where the sign is known."""
        old = self.of(value, width, signed)
        new = max(old[0], low), min(old[1], high)
        if new[0] > new[1]:
            raise Contradiction("a term without a value")
        if new == old or isinstance(value, int):
            return
        self._found[value, signed] = new
        self._changed = True
        modulus, half = 1 << width, 1 << (width - 1)
        if new[0] >= 0 and new[1] < half:
            self._meet(value, width, not signed, *new)
        elif signed and new[1] < 0:
            self._meet(value, width, False, new[0] + modulus, new[1] + modulus)
        elif not signed and new[0] >= half:
            self._meet(value, width, True, new[0] - modulus, new[1] - modulus)

    def _fits(self, value: V, width: int, signed: bool, low: int, high: int) -> None:
        """`value` is congruent to an integer in low .. high: equal to it, if all of these have that many bits."""
        least, greatest = extremes(width, signed)
        if least <= low and high <= greatest:
            self._meet(value, width, signed, low, high)

    # ------------------------------------------------------------ conjuncts

    def _assume(self, formula: V, wanted: bool) -> None:
        if isinstance(formula, int):
            if bool(formula) is not wanted:
                raise Contradiction("a false conjunct")
            return
        match formula.op:
            case Op.NOT:
                self._assume(formula.args[0], not wanted)
            case Op.AND if wanted:
                for arg in formula.args:
                    self._assume(arg, True)
            case Op.AND:
                for arg, other in (formula.args, formula.args[::-1]):
                    if self.truth(arg) is True:
                        self._assume(other, False)
            case Op.ULT | Op.SLT:
                self._below(formula, wanted)
            case Op.EQ:
                self._equal(formula, wanted)

    def _below(self, formula: Term, wanted: bool) -> None:
        """left + 1 <= right, or right <= left."""
        width, signed = operand_width(formula), formula.op is Op.SLT
        low, high = formula.args if wanted else formula.args[::-1]
        gap = 1 if wanted else 0
        least, greatest = extremes(width, signed)
        self._meet(low, width, signed, least, self.of(high, width, signed)[1] - gap)
        self._meet(high, width, signed, self.of(low, width, signed)[0] + gap, greatest)

    def _equal(self, formula: Term, wanted: bool) -> None:
        width = operand_width(formula)
        left, right = formula.args
        for signed in VIEWS:
            for one, other in ((left, right), (right, left)):
                low, high = self.of(other, width, signed)
                if wanted:
                    self._meet(one, width, signed, low, high)
                elif low == high:
                    a, b = self.of(one, width, signed)
                    self._meet(one, width, signed, a + (a == low), b - (b == low))

    # ------------------------------------------------------------ terms from their arguments

    def _upwards(self, term: Term) -> None:
        width, args = width_of(term), term.args
        match term.op:
            case Op.ADD | Op.SUB | Op.MUL | Op.NEG | Op.BVNOT | Op.SHL:
                for signed in VIEWS:
                    found = self._ring(term, width, signed)
                    if found is not None:
                        self._fits(term, width, signed, *found)
            case Op.UDIV | Op.UREM | Op.SDIV | Op.SREM:
                signed = term.op in (Op.SDIV, Op.SREM)
                divide = term.op in (Op.UDIV, Op.SDIV)
                found = _divided(self.of(args[0], width, signed), self.of(args[1], width, signed), divide)
                if found is not None:
                    self._meet(term, width, signed, *found)
            case Op.ZEXT | Op.SEXT:
                assert isinstance(term.payload, int)
                signed = term.op is Op.SEXT
                self._meet(term, width, signed, *self.of(args[0], term.payload, signed))
            case Op.EXTRACT | Op.LSHR | Op.ASHR:
                self._shifted(term, width)
            case Op.BVAND | Op.BVOR | Op.BVXOR:
                self._bitwise(term, width)
            case Op.CONCAT:
                low = operand_width(term)
                a, b = self.of(args[0], width - low, False)
                c, d = self.of(args[1], low, False)
                self._meet(term, width, False, (a << low) + c, (b << low) + d)
            case Op.ITE:
                for signed in VIEWS:
                    (a, b), (c, d) = self.of(args[1], width, signed), self.of(args[2], width, signed)
                    self._meet(term, width, signed, min(a, c), max(b, d))

    def _ring(self, term: Term, width: int, signed: bool) -> Range | None:
        """The interval of the integer that the operator's result is congruent to."""
        a, b = self.of(term.args[0], width, signed)
        if term.op is Op.NEG:
            return -b, -a
        if term.op is Op.BVNOT:
            return -b - 1, -a - 1
        if term.op is Op.SHL:
            amount = term.args[1]
            return (a << amount, b << amount) if isinstance(amount, int) and amount < width else None
        c, d = self.of(term.args[1], width, signed)
        if term.op is Op.ADD:
            return a + c, b + d
        if term.op is Op.SUB:
            return a - d, b - c
        return self.product(term.args[0], term.args[1], width, signed)

    def _shifted(self, term: Term, width: int) -> None:
        """Right shifts by constants, and parts of words."""
        whole, amount = term.args[0], term.payload if term.op is Op.EXTRACT else term.args[1]
        if not isinstance(amount, int) or isinstance(whole, int):
            return
        for signed in VIEWS if term.op is Op.EXTRACT else (term.op is Op.ASHR,):
            a, b = self.of(whole, width_of(whole), signed)
            self._fits(term, width, signed, a >> amount, b >> amount)

    def _bitwise(self, term: Term, width: int) -> None:
        (a, b), (c, d) = (self.of(arg, width, False) for arg in term.args)
        if term.op is Op.BVAND:
            self._meet(term, width, False, 0, min(b, d))
        else:
            greatest = (1 << max(b, d).bit_length()) - 1
            self._meet(term, width, False, max(a, c) if term.op is Op.BVOR else 0, greatest)

    # ------------------------------------------------------------ arguments from the term

    def _downwards(self, term: Term) -> None:
        width, args = width_of(term), term.args
        match term.op:
            case Op.ADD | Op.SUB | Op.NEG:
                for signed in VIEWS:
                    self._summands(term, width, signed)
            case Op.MUL | Op.SHL:
                for signed in VIEWS:
                    self._factors(term, width, signed)
            case Op.ZEXT | Op.SEXT:
                assert isinstance(term.payload, int)
                signed = term.op is Op.SEXT
                low, high = self.of(term, width, signed)
                self._meet(args[0], term.payload, signed, low, high)
            case Op.UDIV | Op.SDIV:
                signed = term.op is Op.SDIV
                low, divisor = self.of(args[1], width, signed)
                if low == divisor >= 1:
                    a, b = self.of(term, width, signed)
                    # Division cuts toward 0: the quotient a <= 0 has dividends down to (a - 1) * divisor + 1.
                    least = a * divisor if a > 0 else (a - 1) * divisor + 1
                    greatest = b * divisor if b < 0 else (b + 1) * divisor - 1
                    self._meet(args[0], width, signed, least, greatest)

    def _summands(self, term: Term, width: int, signed: bool) -> None:
        a, b = self.of(term, width, signed)
        if term.op is Op.NEG:
            self._fits(term.args[0], width, signed, -b, -a)
            return
        left, right = term.args
        c, d = self.of(right, width, signed)
        if term.op is Op.ADD:
            self._fits(left, width, signed, a - d, b - c)
            c, d = self.of(left, width, signed)
            self._fits(right, width, signed, a - d, b - c)
        else:
            self._fits(left, width, signed, a + c, b + d)
            c, d = self.of(left, width, signed)
            self._fits(right, width, signed, c - b, d - a)

    def _factors(self, term: Term, width: int, signed: bool) -> None:
        """Where the product cannot overflow: a square's root; a factor, beside another that is positive."""
        left, right = term.args
        if term.op is Op.SHL:
            if not isinstance(right, int) or right >= width - 1:
                return
            right = 1 << right
        if self.product(left, right, width, signed) is None:
            return
        low, high = self.of(term, width, signed)
        if left is right:
            if high < 0:
                raise Contradiction("a negative square")
            root = isqrt(high)
            self._meet(left, width, signed, -root, root)
            return
        for one, other in ((left, right), (right, left)):
            c, d = self.of(other, width, signed)
            if c >= 1:
                # one * other >= low: if low > 0, one >= low / d; else one >= low / c (both rounded up).
                least = -(-low // d) if low > 0 else -(-low // c)
                greatest = high // c if high >= 0 else high // d
                self._meet(one, width, signed, least, greatest)


def _divided(dividend: Range, divisor: Range, divide: bool) -> Range | None:
    """Quotients (cut toward 0), or remainders (with the dividend's sign), for divisors that are surely positive.

    Signed and unsigned: a positive divisor neither overflows nor is 0. The quotient is monotone in each argument
    while the other is fixed, so its extremes are at the corners.
    """
    (a, b), (c, d) = dividend, divisor
    if c < 1:
        return None
    if divide:
        corners = [x // y if x >= 0 else -(-x // y) for x in (a, b) for y in (c, d)]
        return min(corners), max(corners)
    return max(min(a, 0), 1 - d), min(max(b, 0), d - 1)
