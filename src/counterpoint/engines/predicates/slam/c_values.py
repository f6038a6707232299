"""Values of C expressions as terms: integers of a width and a sign, with C's conversions, and arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from counterpoint.core.errors import UnusableInput
from counterpoint.core.records import dataclass
from counterpoint.term import build
from counterpoint.term.sorts import BOOL, ArraySort, BitVec
from counterpoint.term.term import Term, V

INT = 32


@dataclass(frozen=True, slots=True)
class Integer:
    """A value of so many bits; `truth` instead of a value for comparisons and the like."""

    bits: V
    width: int
    signed: bool
    truth: V | None = None


@dataclass(frozen=True, slots=True)
class Array:
    """The elements of an object."""

    term: Term
    sort: ArraySort


Value: TypeAlias = Integer | Array


class NoType(Exception):
    """An operator is used on what it has no meaning for."""


def integer(value: Value) -> Integer:
    """Raises NoType for an array."""
    if isinstance(value, Array):
        raise NoType("an array is used without an index")
    return value


def truth(value: Value) -> V:
    """It is not 0, as a Bool. Raises NoType."""
    found = integer(value)
    return build.ne(found.bits, 0, found.width) if found.truth is None else found.truth


def _boolean(truth: V) -> Integer:
    return Integer(build.bool_to_bits(truth, INT), INT, True, truth)


def converted(value: Integer, width: int, signed: bool) -> Integer:
    """To another type; its own sign says how it is widened."""
    if width < value.width:
        return Integer(build.extract(width - 1, 0, value.bits, value.width), width, signed)
    widen = build.sext if value.signed else build.zext
    bits = value.bits if width == value.width else widen(value.bits, value.width, width)
    return Integer(bits, width, signed)


def _promoted(value: Integer) -> Integer:
    return converted(value, INT, True) if value.width < INT else value


def _common(left: Value, right: Value) -> tuple[Integer, Integer]:
    """C's usual arithmetic conversions."""
    a, b = _promoted(integer(left)), _promoted(integer(right))
    width = max(a.width, b.width)
    signed = all(side.signed or side.width < width for side in (a, b))
    return converted(a, width, signed), converted(b, width, signed)


def of_variable(variable: Term) -> Value:
    """A component's variable; bit-vectors are signed. Raises NoType for a float."""
    sort = variable.sort
    if isinstance(sort, BitVec):
        return Integer(variable, sort.width, True)
    if isinstance(sort, ArraySort):
        return Array(variable, sort)
    if sort is BOOL:
        return _boolean(variable)
    raise NoType(f"{variable.payload} is a float")


def binary(left: Value, operator: str, right: Value) -> Value:
    """One of C's binary operators; both sides of && and || are evaluated. Raises NoType."""
    if operator == "&&":
        return _boolean(build.and_(truth(left), truth(right)))
    if operator == "||":
        return _boolean(build.or_(truth(left), truth(right)))
    if operator in ("<<", ">>"):
        a = _promoted(integer(left))
        b = converted(_promoted(integer(right)), a.width, False)
        shift = build.shl if operator == "<<" else build.ashr if a.signed else build.lshr
        return Integer(shift(a.bits, b.bits, a.width), a.width, a.signed)
    one, other = _common(left, right)
    a_, b_, width, signed = one.bits, other.bits, one.width, one.signed
    less, at_most = (build.slt, build.sle) if signed else (build.ult, build.ule)
    match operator:
        case "==":
            return _boolean(build.eq(a_, b_, width))
        case "!=":
            return _boolean(build.ne(a_, b_, width))
        case "<":
            return _boolean(less(a_, b_, width))
        case ">":
            return _boolean(less(b_, a_, width))
        case "<=":
            return _boolean(at_most(a_, b_, width))
        case ">=":
            return _boolean(at_most(b_, a_, width))
    return Integer(_ARITHMETIC[operator, signed](a_, b_, width), width, signed)


_SAME: dict[str, Callable[[V, V, int], V]] = {
    "+": build.add, "-": build.sub, "*": build.mul, "&": build.bvand, "|": build.bvor, "^": build.bvxor,
}  # fmt: skip
_ARITHMETIC: dict[tuple[str, bool], Callable[[V, V, int], V]] = {
    **{(symbol, signed): operation for symbol, operation in _SAME.items() for signed in (True, False)},
    ("/", True): build.sdiv,
    ("/", False): build.udiv,
    ("%", True): build.srem,
    ("%", False): build.urem,
}


def unary(operator: str, operand: Value) -> Value:
    """+, -, ~ or !. Raises NoType."""
    if operator == "!":
        return _boolean(build.not_(truth(operand)))
    a = _promoted(integer(operand))
    match operator:
        case "-":
            return Integer(build.neg(a.bits, a.width), a.width, a.signed)
        case "~":
            return Integer(build.bvnot(a.bits, a.width), a.width, a.signed)
    return a


def element(array: Value, index: Value) -> Value:
    """An array's element. Raises NoType for what is no array."""
    if not isinstance(array, Array):
        raise NoType("only arrays have elements")
    place = converted(_promoted(integer(index)), array.sort.index, False)
    return Integer(build.select(array.term, place.bits), array.sort.element, True)


def conditional(condition: Value, chosen: Value, other: Value) -> Value:
    """C's ?:. Raises NoType."""
    a, b = _common(chosen, other)
    return Integer(build.ite(truth(condition), a.bits, b.bits, a.width), a.width, a.signed)


def type_of(words: tuple[str, ...]) -> tuple[int, bool]:
    """Width and signedness. Raises UnusableInput."""
    kinds = [word for word in words if word not in ("unsigned", "signed")]
    widths = {(): 32, ("int",): 32, ("char",): 8, ("short",): 16, ("long",): 64, ("long", "long"): 64}
    width = widths.get(tuple(kind for kind in kinds if kind != "int" or len(kinds) == 1))
    if width is None:
        raise UnusableInput(f"`{' '.join(words)}` is no type of predicates")
    return width, "unsigned" not in words


def number(text: str) -> Integer:
    """A constant with its suffixes. Raises UnusableInput beyond 64 bits."""
    digits = text.rstrip("uUlL")
    value, suffix = int(digits, 16 if digits[:2] in ("0x", "0X") else 10), text[len(digits) :].lower()
    signed = "u" not in suffix
    width = 64 if "l" in suffix or value >> (31 if signed else 32) else INT
    if value >> 64:
        raise UnusableInput(f"{digits} does not fit 64 bits")
    return Integer(value, width, signed and not value >> 63)
