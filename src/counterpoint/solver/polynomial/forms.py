"""Terms into polynomial normal form: arithmetic is multiplied out, below everything else as well.

Exact identities that are used besides ring arithmetic: ~x = -x - 1; x << k = 2^k x; the low bits of a polynomial
are the polynomial in the low bits of its atoms (truncation is a ring homomorphism); concat(x, 0) = 2^k zext(x);
x rem y = x - y * (x div y), also where y = 0, and the same for the low and high bits of x, each where both
occur. Extensions are atoms, unless what is extended surely does not overflow: in general the extension of a sum is
not the sum of the extensions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from counterpoint.solver.polynomial.ranges import as_integers
from counterpoint.solver.polynomial.ring import (
    Polynomial,
    Steps,
    TooLarge,
    add_scaled,
    multiply,
    of_atom,
    of_constant,
    scaled,
    to_equation,
    to_term,
)
from counterpoint.term import build
from counterpoint.term.rebuild import rebuild
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import reachable, reachable_outside

_LEAVES: Final = frozenset({Op.VARIABLE, Op.ADDRESS, Op.BITS_FROM_FP})
_QUOTIENT: Final = {Op.UREM: (Op.UDIV, build.udiv), Op.SREM: (Op.SDIV, build.sdiv)}


def width_of(term: Term) -> int:
    """The width of a bit-vector term."""
    assert isinstance(term.sort, BitVec)
    return term.sort.width


def operand_width(term: Term) -> int:
    """The width of the operands of EQ, ULT, SLT."""
    assert isinstance(term.payload, int)
    return term.payload


def is_high_part(term: Term) -> bool:
    """zext(extract(w-1, k, x)) of x's own width w: x divided by 2^k."""
    inner = term.args[0] if term.op is Op.ZEXT else None
    if not isinstance(inner, Term) or inner.op is not Op.EXTRACT or not isinstance(inner.args[0], Term):
        return False
    whole = width_of(inner.args[0])
    return width_of(term) == whole == operand_width(inner) + width_of(inner)


def high_part(value: V, low: int, width: int) -> V:
    """`value` divided by 2^low, unsigned."""
    return build.zext(build.extract(width - 1, low, value, width), width - low, width)


def positive_power(divisor: V, term: Term) -> int:
    """k if the divisor is 2^k with k > 0, and positive as a signed number of term's width; else 0."""
    if isinstance(divisor, Term) or divisor & (divisor - 1) or divisor >> (width_of(term) - 1):
        return 0
    return max(0, divisor.bit_length() - 1)


def same(polynomial: Polynomial) -> Polynomial:
    """No reduction."""
    return polynomial


class NormalForms:
    """Normal forms of the terms below `roots`, each made once.

    `reduce` is applied to both sides of comparisons (as differences, for equations); it may use whatever is
    asserted beside the formulas in question. BITS_FROM_FP terms are left alone: each has its own NaN payload.
    """

    def __init__(self, roots: Iterable[V], steps: Steps, reduce: Callable[[Polynomial], Polynomial] = same) -> None:
        self._steps = steps
        self._reduce = reduce
        self._forms: dict[Term, Polynomial] = {}
        self._values: dict[Term, V] = {}
        self._quotients: set[tuple[Op, tuple[V, ...]]] = set()
        self._high_parts: set[tuple[Term, int]] = set()
        self.shifted: list[tuple[Term, int, Term]] = []
        """(x, k, x divided by 2^k) for each such quotient that occurs: high bits, or SDIV."""
        for term in reachable(roots):
            steps.spend()
            if term.op in (Op.UDIV, Op.SDIV):
                self._quotients.add((term.op, term.args))
                if term.op is Op.SDIV and isinstance(term.args[0], Term) and positive_power(term.args[1], term):
                    self.shifted.append((term.args[0], positive_power(term.args[1], term), term))
            elif is_high_part(term):
                inner = term.args[0]
                assert isinstance(inner, Term) and isinstance(inner.args[0], Term)
                self._high_parts.add((inner.args[0], operand_width(inner)))
                self.shifted.append((inner.args[0], operand_width(inner), term))

    def form(self, value: V, width: int) -> Polynomial:
        """The polynomial of a bit-vector of `width` bits. Raises OutOfSteps."""
        if isinstance(value, int):
            return of_constant(value, width)
        self._visit(value)
        return self._forms[value]

    def value(self, value: V) -> V:
        """The normalised term for a term of any sort. Raises OutOfSteps."""
        if isinstance(value, int):
            return value
        self._visit(value)
        return self._value(value)

    def _visit(self, root: Term) -> None:
        if root in self._forms or root in self._values:
            return
        for term in reachable_outside((root,), _Either(self._forms, self._values)):
            self._steps.spend()
            if isinstance(term.sort, BitVec):
                self._forms[term] = self._polynomial(term)
            elif term.op is Op.EQ or term.op is Op.ULT or term.op is Op.SLT:
                self._values[term] = self._comparison(term)
            else:
                self._values[term] = self._rebuilt(term)

    def _value(self, value: V) -> V:
        if isinstance(value, int):
            return value
        found = self._values.get(value)
        if found is None:
            found = self._values[value] = to_term(self._forms[value])
        return found

    def _rebuilt(self, term: Term) -> V:
        if term.op in _LEAVES:
            return term
        return rebuild(term, [self._value(arg) for arg in term.args])

    def _comparison(self, term: Term) -> V:
        width = operand_width(term)
        left, right = (self._reduce(self.form(arg, width)) for arg in term.args)
        if term.op is Op.EQ:
            return to_equation(self._reduce(add_scaled(left, right, -1)))
        return rebuild(term, [to_term(left), to_term(right)])

    def _atom(self, value: V, width: int) -> Polynomial:
        """The form of what a rebuilt atom, or a truncated one, has become."""
        if isinstance(value, int):
            return of_constant(value, width)
        if value not in self._forms:
            if not _is_arithmetic(value):
                self._forms[value] = of_atom(value)
            else:
                self._visit(value)
        return self._forms[value]

    def _polynomial(self, term: Term) -> Polynomial:
        width = width_of(term)
        if not _is_arithmetic(term):
            found = self._divided(term, width) or self._extended(term, width)
            return self._atom(self._rebuilt(term), width) if found is None else found
        match term.op:
            case Op.ADD:
                return add_scaled(self.form(term.args[0], width), self.form(term.args[1], width), 1)
            case Op.SUB:
                return add_scaled(self.form(term.args[0], width), self.form(term.args[1], width), -1)
            case Op.NEG:
                return scaled(self.form(term.args[0], width), -1)
            case Op.BVNOT:
                return add_scaled(of_constant(-1, width), self.form(term.args[0], width), -1)
            case Op.SHL:
                amount = term.args[1]
                assert isinstance(amount, int)
                return scaled(self.form(term.args[0], width), 1 << amount)
            case Op.CONCAT:
                low = operand_width(term)
                return scaled(self._atom(build.zext(self._value(term.args[0]), width - low, width), width), 1 << low)
            case Op.EXTRACT:
                assert isinstance(term.args[0], Term)
                return self.low_bits(self._forms[term.args[0]], width)
            case _:
                return self._product(term, width)

    def _product(self, term: Term, width: int) -> Polynomial:
        left, right = (self.form(arg, width) for arg in term.args)
        try:
            return multiply(left, right, self._steps)
        except TooLarge:
            return self._opaque(build.mul(to_term(left), to_term(right), width), width)

    def low_bits(self, wide: Polynomial, width: int) -> Polynomial:
        """The low `width` bits of `wide`, fewer than it has. Raises OutOfSteps."""
        total = Polynomial(width, {})
        try:
            for monomial, coefficient in wide.terms.items():
                part = of_constant(coefficient, width)
                for atom in monomial if part.terms else ():
                    part = multiply(part, self._low_atom(atom, wide.width, width), self._steps)
                total = add_scaled(total, part, 1)
        except TooLarge:
            return self._opaque(build.extract(width - 1, 0, to_term(wide), wide.width), width)
        return total

    def _low_atom(self, atom: Term, whole: int, width: int) -> Polynomial:
        value = build.extract(width - 1, 0, atom, whole)
        if isinstance(value, Term) and value.op is Op.EXTRACT and value.args[0] is atom:
            return self._opaque(value, width)
        return self._atom(value, width)

    def _opaque(self, value: V, width: int) -> Polynomial:
        """An atom, whatever its operator."""
        if isinstance(value, int):
            return of_constant(value, width)
        return self._forms.setdefault(value, of_atom(value))

    def _divided(self, term: Term, width: int) -> Polynomial | None:
        """A remainder, or the low bits, by what the quotient, or the high bits, leave."""
        if term.op in _QUOTIENT:
            quotient, divide = _QUOTIENT[term.op]
            if (quotient, term.args) not in self._quotients:
                return None
            a, b = (self.form(arg, width) for arg in term.args)
            divided = self._atom(divide(to_term(a), to_term(b), width), width)
            try:
                return add_scaled(a, multiply(b, divided, self._steps), -1)
            except TooLarge:
                return None
        inner = term.args[0] if term.op is Op.ZEXT else None
        if not isinstance(inner, Term) or inner.op is not Op.EXTRACT or inner.payload != 0:
            return None
        whole, low = inner.args[0], width_of(inner)
        if not isinstance(whole, Term) or width_of(whole) != width or (whole, low) not in self._high_parts:
            return None
        high = self._atom(high_part(self._value(whole), low, width), width)
        return add_scaled(self._forms[whole], high, -(1 << low))

    def _extended(self, term: Term, width: int) -> Polynomial | None:
        """The extension of a sum that cannot overflow."""
        inner = term.args[0] if term.op in (Op.ZEXT, Op.SEXT) else None
        if not isinstance(inner, Term):
            return None
        narrow = self._forms[inner]
        if list(narrow.terms.values()) == [1] and sum(map(len, narrow.terms)) == 1:
            return None
        integers = as_integers(narrow, term.op is Op.SEXT)
        if integers is None:
            return None
        extend = build.sext if term.op is Op.SEXT else build.zext
        total = Polynomial(width, {})
        for monomial, coefficient in integers.items():
            part = of_constant(coefficient, width)
            for atom in monomial:
                try:
                    part = multiply(part, self._atom(extend(atom, narrow.width, width), width), self._steps)
                except TooLarge:
                    return None
            total = add_scaled(total, part, 1)
        return total


class _Either:
    """The keys of two dictionaries."""

    def __init__(self, first: dict[Term, Polynomial], second: dict[Term, V]) -> None:
        self._first = first
        self._second = second

    def __contains__(self, term: object) -> bool:
        return term in self._first or term in self._second


def _is_arithmetic(term: Term) -> bool:
    """Whether a bit-vector term is a polynomial in its arguments (or, for EXTRACT, in their low bits)."""
    match term.op:
        case Op.ADD | Op.SUB | Op.NEG | Op.MUL | Op.BVNOT:
            return True
        case Op.SHL:
            return isinstance(term.args[1], int)
        case Op.CONCAT:
            return term.args[1] == 0 and isinstance(term.args[1], int)
        case Op.EXTRACT:
            return term.payload == 0
        case _:
            return False


def normal_form(value: V, width: int, steps: int = 1_000_000) -> Polynomial:
    """The polynomial of a bit-vector of `width` bits; it has the same value under every assignment.

    Raises OutOfSteps if it needs more work than `steps`.
    """
    return NormalForms((value,), Steps(steps)).form(value, width)
