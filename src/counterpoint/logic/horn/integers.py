"""The clauses over the integers: bit-vectors as numbers in their signed or unsigned range.

Sums, differences and multiples are exact: what leaves the range is wrapped around, by a choice where it can be by a
few times the modulus only, else by `mod`. Operations on bits by constants become div and mod. Every other operation's
result is an arbitrary number in range, as is a product of unknowns that leaves it. So the view has at least the
program's runs: its proofs hold, and are checked over bit-vectors all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from counterpoint.core.errors import InternalError
from counterpoint.core.records import dataclass
from counterpoint.logic.horn.clauses import Atom, Clause, Horn
from counterpoint.logic.horn.integer_answers import IntegerDecoder, Range
from counterpoint.logic.horn.signs import Signs
from counterpoint.logic.horn.view import Native, NativeAtom, NativeClause
from counterpoint.term.sorts import ArraySort, BitVec, Bool
from counterpoint.term.term import Op, Term, V, argument_sorts
from counterpoint.term.walk import conjuncts, reachable

MAX_WRAPS: Final = 2
"""Up to so many multiples of the modulus are taken off by a choice instead of `mod`."""

MAX_GUARDED: Final = 16
"""Terms of a clause of which it is asked one by one whether they leave their range."""


@dataclass(frozen=True, slots=True)
class Number:
    """A z3 Int (or int) in [low, high] that is congruent to a bit-vector modulo 2**width."""

    value: Native
    low: int
    high: int
    width: int


class IntegerView:
    """Signs are chosen once for all of `horn`.

    `checked`: what leaves its range is a failure instead of being wrapped around. A proof then shows as well that
    nothing overflows; where something does, this view has no proof.
    """

    name = "int"

    def __init__(self, horn: Horn, checked: bool = False) -> None:
        import z3

        self._z3 = z3
        self.context = z3.Context()
        self._checked = checked
        self._signs = Signs()
        self._signs.learn(horn)
        self._done: dict[Term, Any] = {}
        self._sides: dict[Term, list[Native]] = {}
        self._leaves: dict[Term, list[Native]] = {}
        self._guards: dict[Term | None, list[Native]] = {}
        self._now: Term | None = None
        self._fresh = 0
        self._makers = self._tables()

    # ------------------------------------------------------------ View

    def sort(self, argument: Term) -> Any:
        z3 = self._z3
        integers = z3.IntSort(self.context)
        match argument.sort:
            case Bool():
                return z3.BoolSort(self.context)
            case ArraySort():
                return z3.ArraySort(integers, integers)
        return integers

    def clauses(self, clause: Clause) -> list[NativeClause]:
        """The clause; where ranges are checked, also that a number which leaves its range is a failure."""
        terms = reachable(clause.roots())
        for term in terms:
            if term not in self._done:
                self._now = term
                self._done[term] = self._encode(term)
        self._now = None
        self._guards[None] = []
        body = tuple(self._atom(atom) for atom in clause.body)
        head = None if clause.head is None else self._atom(clause.head)
        sides = [side for term in terms for side in self._sides.get(term, ())]
        leaves = tuple(leaf for term in terms for leaf in self._leaves.get(term, ()))
        guarded: list[Term | None] = [*(term for term in terms if term in self._guards), None]
        guards = [guard for term in guarded for guard in self._guards[term]]
        found = [NativeClause(head, body, (self._bool(clause.formula), *sides, *guards), leaves)]
        if guards:
            found += (NativeClause(None, body, (*sides, *parts), leaves) for parts in self._leaving(clause, guarded))
        return found

    def _leaving(self, clause: Clause, guarded: list[Term | None]) -> Iterator[list[Native]]:
        """How the numbers can leave their ranges: for each term, that it is the first.

        Soundness: what is built on a number that left its range is wrong, so a run may be excluded by those
        conjuncts only that are built on earlier terms. The last terms are taken together, there are so many.
        """
        position = {term: k for k, term in enumerate(guarded)}
        depth = [
            (max((position[t] for t in reachable([part]) if t in position), default=-1), self._bool(part))
            for part in conjuncts(clause.formula)
        ]
        before: list[Native] = []
        for k, term in enumerate(guarded):
            last = k == MAX_GUARDED
            now = [guard for other in (guarded[k:] if last else [term]) for guard in self._guards[other]]
            if now:
                known = [formula for deepest, formula in depth if deepest < k]
                yield [*known, *before, self._z3.Or(*(self._z3.Not(guard) for guard in now))]
            if last:
                return
            before += now

    def decode(self, formula: Native, arguments: Sequence[tuple[Native, Term]]) -> V:
        ranges = [(constant, term, self._range(term)) for constant, term in arguments]
        return IntegerDecoder(self._z3, ranges).of(formula)

    def _range(self, argument: Term) -> Range | None:
        match argument.sort:
            case BitVec(width=width):
                return Range(*_range(width, self._signs.signed(argument)))
            case ArraySort(element=element):
                return Range(*_range(element, True))
        return None

    def _atom(self, atom: Atom) -> NativeAtom:
        guard = None if atom.guard == 1 else self._bool(atom.guard)
        pairs = zip(atom.arguments, atom.values, strict=True)
        return NativeAtom(atom.place, tuple(self._argument(argument, value) for argument, value in pairs), guard)

    def _argument(self, argument: Term, value: V) -> Native:
        match argument.sort:
            case Bool():
                return self._bool(value)
            case BitVec(width=width):
                return self._lift(self._in_range(self._number(value, width), self._signs.signed(argument)).value)
        return self._done[value]  # type: ignore[index]

    # ------------------------------------------------------------ parts

    def _note(self, side: Native) -> None:
        """A fact about fresh variables of the term that is being encoded."""
        assert self._now is not None
        self._sides.setdefault(self._now, []).append(side)

    def _bool(self, value: V) -> Native:
        return self._z3.BoolVal(bool(value), self.context) if isinstance(value, int) else self._done[value]

    def _number(self, value: V, width: int) -> Number:
        if isinstance(value, int):
            if value >> (width - 1) and width > 1:
                value -= 1 << width
            return Number(value, value, value, width)
        found: Number = self._done[value]
        return found

    def _lift(self, value: Native) -> Native:
        return self._z3.IntVal(value, self.context) if isinstance(value, int) else value

    def _unknown(self, width: int, signed: bool, name: str = "") -> Number:
        """A fresh number in range."""
        self._fresh += 1
        low, high = _range(width, signed)
        made = self._z3.Int(name or f"any!{self._fresh}", self.context)
        assert self._now is not None
        self._leaves.setdefault(self._now, []).append(made)
        self._note(made >= low)
        self._note(made <= high)
        return Number(made, low, high, width)

    def _in_range(self, number: Number, signed: bool, exact: bool = False) -> Number:
        """The representative in the signed or the unsigned range. `exact`: to leave it is no overflow."""
        low, high = _range(number.width, signed)
        if number.low >= low and number.high <= high:
            return number
        modulus, value = 1 << number.width, number.value
        if isinstance(value, int):
            value = (value - low) % modulus + low
            return Number(value, value, value, number.width)
        z3 = self._z3
        first, last = (number.low - low) // modulus, (number.high - low) // modulus
        if self._checked and not exact and not _fits(number, True) and not _fits(number, False):
            return self._guarded(number, low, high)
        if last - first > MAX_WRAPS:
            return Number((value - low) % modulus + low, low, high, number.width)
        result = value - last * modulus
        for k in range(last - 1, first - 1, -1):
            result = z3.If(value < low + (k + 1) * modulus, value - k * modulus, result)
        if first == last:
            return Number(result, number.low - first * modulus, number.high - first * modulus, number.width)
        return Number(result, low, high, number.width)

    def _guarded(self, number: Number, low: int, high: int) -> Number:
        """The number itself, on the condition that it is in range."""
        guard = self._z3.And(number.value >= low, number.value <= high)
        self._guards.setdefault(self._now, []).append(guard)
        return Number(number.value, max(low, number.low), min(high, number.high), number.width)

    # ------------------------------------------------------------ operators

    def _encode(self, term: Term) -> Any:
        z3, op = self._z3, term.op
        if op is Op.VARIABLE or op is Op.ADDRESS:
            return self._leaf(term)
        make = self._makers.get(op)
        if make is not None:
            return make(term)
        if isinstance(term.sort, BitVec):
            return self._unknown(term.sort.width, False)
        if isinstance(term.sort, Bool):
            return self._made(z3.Bool(f"any!{term.index}", self.context))
        raise InternalError(f"an array of {op.name} has no integer view")

    def _leaf(self, term: Term) -> Any:
        z3 = self._z3
        name = f"{term.op.name} {term.payload} {term.sort}"
        match term.sort:
            case Bool():
                return self._made(z3.Bool(name, self.context))
            case ArraySort():
                return self._made(z3.Const(name, self.sort(term)))
            case BitVec(width=width):
                return self._unknown(width, term.op is Op.VARIABLE and self._signs.signed(term), name)
        raise InternalError(f"a {term.sort} in the clauses")

    def _made(self, constant: Native) -> Native:
        assert self._now is not None
        self._leaves.setdefault(self._now, []).append(constant)
        return constant

    def _numbers(self, term: Term) -> list[Number]:
        return [
            self._number(arg, sort.width)
            for arg, sort in zip(term.args, argument_sorts(term), strict=True)
            if isinstance(sort, BitVec)
        ]

    def _tables(self) -> dict[Op, Callable[[Term], Any]]:
        z3 = self._z3
        return {
            Op.NOT: lambda t: z3.Not(self._bool(t.args[0])),
            Op.AND: lambda t: z3.And(self._bool(t.args[0]), self._bool(t.args[1])),
            Op.XOR: lambda t: z3.Xor(self._bool(t.args[0]), self._bool(t.args[1])),
            Op.ITE: self._choice, Op.EQ: self._equal,
            Op.ULT: lambda t: self._below(t, False), Op.SLT: lambda t: self._below(t, True),
            Op.ADD: self._sum, Op.SUB: self._difference, Op.NEG: self._negation, Op.MUL: self._product,
            Op.BVNOT: self._complement, Op.UDIV: self._unsigned_division, Op.UREM: self._unsigned_division,
            Op.SDIV: self._signed_division, Op.SREM: self._signed_division,
            Op.BVAND: self._and, Op.BVOR: self._or, Op.BVXOR: self._xor,
            Op.SHL: self._shift_left, Op.LSHR: lambda t: self._shift_right(t, False),
            Op.ASHR: lambda t: self._shift_right(t, True), Op.CONCAT: self._concat, Op.EXTRACT: self._extract,
            Op.ZEXT: lambda t: self._extended(t, False), Op.SEXT: lambda t: self._extended(t, True),
            Op.SELECT: self._select, Op.STORE: self._store, Op.CONSTANT_ARRAY: self._constant_array,
        }  # fmt: skip

    def _choice(self, term: Term) -> Any:
        condition = self._bool(term.args[0])
        if not isinstance(term.sort, BitVec):
            return self._z3.If(condition, self._done[term.args[1]], self._done[term.args[2]])  # type: ignore[index]
        one, two = self._numbers(term)
        value = self._z3.If(condition, self._lift(one.value), self._lift(two.value))
        return Number(value, min(one.low, two.low), max(one.high, two.high), term.sort.width)

    def _equal(self, term: Term) -> Native:
        one, two = self._numbers(term)
        signed = next((s for n in (one, two) for s in (True, False) if _fits(n, s)), True)
        return self._lift(self._in_range(one, signed).value) == self._lift(self._in_range(two, signed).value)

    def _below(self, term: Term, signed: bool) -> Native:
        """Unsigned ones are how tests for a range are written: there wrapping around is meant."""
        one, two = (self._in_range(number, signed, exact=not signed) for number in self._numbers(term))
        return self._lift(one.value) < self._lift(two.value)

    def _sum(self, term: Term) -> Number:
        one, two = self._numbers(term)
        return Number(one.value + two.value, one.low + two.low, one.high + two.high, one.width)

    def _difference(self, term: Term) -> Number:
        one, two = self._numbers(term)
        return Number(one.value - two.value, one.low - two.high, one.high - two.low, one.width)

    def _negation(self, term: Term) -> Number:
        (one,) = self._numbers(term)
        return Number(-one.value, -one.high, -one.low, one.width)

    def _complement(self, term: Term) -> Number:
        (one,) = self._numbers(term)
        return Number(-1 - one.value, -1 - one.high, -1 - one.low, one.width)

    def _times(self, one: Number, factor: int) -> Number:
        low, high = sorted((one.low * factor, one.high * factor))
        return Number(one.value * factor, low, high, one.width)

    def _product(self, term: Term) -> Number:
        one, two = self._numbers(term)
        for factor, other in ((one, two), (two, one)):
            if isinstance(factor.value, int):
                return self._times(other, factor.value)
        signed = _fits(one, True) and _fits(two, True)
        one, two = self._in_range(one, signed), self._in_range(two, signed)
        corners = [a * b for a in (one.low, one.high) for b in (two.low, two.high)]
        value = one.value * two.value
        if self._checked:
            return Number(value, min(corners), max(corners), one.width)
        other = self._unknown(one.width, signed)
        inside = self._z3.And(value >= other.low, value <= other.high)
        if min(corners) >= other.low and max(corners) <= other.high:
            return Number(value, min(corners), max(corners), one.width)
        return Number(self._z3.If(inside, value, other.value), other.low, other.high, one.width)

    def _unsigned_division(self, term: Term) -> Number:
        one, two = (self._in_range(number, False) for number in self._numbers(term))
        quotient = term.op is Op.UDIV
        if isinstance(two.value, int) and two.value > 0:
            if quotient:
                return Number(self._lift(one.value) / two.value, one.low // two.value, one.high // two.value, one.width)
            return Number(self._lift(one.value) % two.value, 0, two.value - 1, one.width)
        result = self._unknown(one.width, False)
        nonzero = self._lift(two.value) != 0
        self._note(self._z3.Implies(nonzero, result.value <= one.value))
        if not quotient:
            self._note(self._z3.Implies(nonzero, result.value < two.value))
        return result

    def _signed_division(self, term: Term) -> Number:
        one, two = (self._in_range(number, True) for number in self._numbers(term))
        divisor = two.value
        if not isinstance(divisor, int) or divisor == 0:
            return self._unknown(one.width, True)
        value, size = self._lift(one.value), abs(divisor)
        if term.op is Op.SREM:
            value = self._z3.If(value >= 0, value % size, -((-value) % size))
            return Number(value, 1 - size, size - 1, one.width)
        sign = 1 if divisor > 0 else -1
        value = self._z3.If(value >= 0, sign * (value / size), -sign * ((-value) / size))
        bound = max(abs(one.low), abs(one.high)) // size
        return Number(value, -bound, bound, one.width)

    def _and(self, term: Term) -> Number:
        one, two = (self._in_range(number, False) for number in self._numbers(term))
        if isinstance(one.value, int):
            one, two = two, one
        if isinstance(two.value, int):
            pieces = list(_runs(two.value))
            if len(pieces) <= 2:
                return self._sum_of([self._bits(one, low, high) for low, high in pieces], one.width)
        elif one.high <= 1 or two.high <= 1:
            low_bits = [self._bits(number, 0, 1) for number in (one, two)]
            both = self._z3.And(*(number.value == 1 for number in low_bits))
            return Number(self._z3.If(both, *self._one_zero()), 0, 1, one.width)
        result = self._unknown(one.width, False)
        for number in (one, two):
            self._note(result.value <= number.value)
        return result

    def _or(self, term: Term) -> Number:
        one, two = (self._in_range(number, False) for number in self._numbers(term))
        if isinstance(one.value, int):
            one, two = two, one
        if isinstance(two.value, int) and len(pieces := list(_runs(two.value))) == 1:
            low, high = pieces[0]
            old = self._bits(one, low, high)
            return Number(one.value - old.value + two.value, 0, (1 << one.width) - 1, one.width)
        if one.high <= 1 and two.high <= 1:
            neither = self._z3.And(self._lift(one.value) == 0, self._lift(two.value) == 0)
            return Number(self._z3.If(neither, *reversed(self._one_zero())), 0, 1, one.width)
        result = self._unknown(one.width, False)
        for number in (one, two):
            self._note(result.value >= number.value)
        self._note(result.value <= one.value + two.value)
        return result

    def _xor(self, term: Term) -> Number:
        one, two = (self._in_range(number, False) for number in self._numbers(term))
        if isinstance(one.value, int):
            one, two = two, one
        if isinstance(two.value, int) and len(pieces := list(_runs(two.value))) == 1:
            low, high = pieces[0]
            old = self._bits(one, low, high)
            flipped = one.value - 2 * old.value + two.value
            return Number(flipped, 0, (1 << one.width) - 1, one.width)
        if one.high <= 1 and two.high <= 1:
            same = self._lift(one.value) == self._lift(two.value)
            return Number(self._z3.If(same, *reversed(self._one_zero())), 0, 1, one.width)
        return self._unknown(one.width, False)

    def _one_zero(self) -> tuple[Native, Native]:
        return self._lift(1), self._lift(0)

    def _bits(self, one: Number, low: int, high: int) -> Number:
        """Bits low..high-1 of an unsigned number, in their places."""
        value, top = self._lift(one.value), 1 << high
        if one.high >= top:
            value = value % top
        if low:
            value = (value / (1 << low)) * (1 << low)
        return Number(value, 0, min(one.high, top - 1), one.width)

    def _sum_of(self, numbers: list[Number], width: int) -> Number:
        if not numbers:
            return Number(0, 0, 0, width)
        value, high = numbers[0].value, numbers[0].high
        for number in numbers[1:]:
            value, high = value + number.value, high + number.high
        return Number(value, 0, high, width)

    def _shift_left(self, term: Term) -> Number:
        one, amount = self._numbers(term)
        if isinstance(amount.value, int) and 0 <= amount.value < one.width:
            return self._times(one, 1 << amount.value)
        return self._unknown(one.width, True)

    def _shift_right(self, term: Term, signed: bool) -> Number:
        one, amount = self._numbers(term)
        one = self._in_range(one, signed)
        if isinstance(amount.value, int) and 0 <= amount.value < one.width:
            by = amount.value
            return Number(self._lift(one.value) / (1 << by), one.low >> by, one.high >> by, one.width)
        result = self._unknown(one.width, signed)
        if not signed:
            self._note(result.value <= one.value)
        return result

    def _concat(self, term: Term) -> Number:
        assert isinstance(term.payload, int) and isinstance(term.sort, BitVec)
        high, low = self._numbers(term)
        low, scale = self._in_range(low, False), 1 << term.payload
        value = high.value * scale + low.value
        return Number(value, high.low * scale + low.low, high.high * scale + low.high, term.sort.width)

    def _extract(self, term: Term) -> Number:
        assert isinstance(term.payload, int) and isinstance(term.sort, BitVec)
        (one,) = self._numbers(term)
        if term.payload == 0:
            narrow = Number(one.value, one.low, one.high, term.sort.width)
            return self._in_range(narrow, True, exact=True)
        one = self._in_range(one, False)
        by = term.payload
        return Number(self._lift(one.value) / (1 << by), one.low >> by, one.high >> by, term.sort.width)

    def _extended(self, term: Term, signed: bool) -> Number:
        assert isinstance(term.sort, BitVec)
        (one,) = self._numbers(term)
        one = self._in_range(one, signed)
        return Number(one.value, one.low, one.high, term.sort.width)

    def _select(self, term: Term) -> Number:
        assert isinstance(term.sort, BitVec)
        array, index = self._done[term.args[0]], self._number(term.args[1], argument_sorts(term)[1].width)  # type: ignore[index, union-attr]
        value = self._z3.Select(array, self._lift(self._in_range(index, False).value))
        low, high = _range(term.sort.width, True)
        self._note(value >= low)
        self._note(value <= high)
        return Number(value, low, high, term.sort.width)

    def _store(self, term: Term) -> Native:
        assert isinstance(term.sort, ArraySort)
        index = self._in_range(self._number(term.args[1], term.sort.index), False)
        value = self._in_range(self._number(term.args[2], term.sort.element), True)
        array = self._done[term.args[0]]  # type: ignore[index]
        return self._z3.Store(array, self._lift(index.value), self._lift(value.value))

    def _constant_array(self, term: Term) -> Native:
        assert isinstance(term.sort, ArraySort)
        value = self._in_range(self._number(term.args[0], term.sort.element), True)
        return self._z3.K(self._z3.IntSort(self.context), self._lift(value.value))


def _range(width: int, signed: bool) -> tuple[int, int]:
    """Least and greatest number of that many bits."""
    return (-(1 << (width - 1)), (1 << (width - 1)) - 1) if signed else (0, (1 << width) - 1)


def _fits(number: Number, signed: bool) -> bool:
    low, high = _range(number.width, signed)
    return low <= number.low and number.high <= high


def _runs(mask: int) -> Iterator[tuple[int, int]]:
    """The runs of ones in the mask: (lowest bit, one past the highest)."""
    position = 0
    while mask >> position:
        while not mask >> position & 1:
            position += 1
        low = position
        while mask >> position & 1:
            position += 1
        yield low, position
