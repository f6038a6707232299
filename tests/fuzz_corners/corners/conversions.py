"""Integer promotions, conversions and operators of mixed types, against their values by C's rules."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable
from dataclasses import dataclass

from fuzz_corners.kit import (
    CHAR,
    INT,
    LLONG,
    OVERFLOW,
    SCHAR,
    SHORT,
    UCHAR,
    UINT,
    ULLONG,
    UNREACH,
    USHORT,
    CType,
    Draw,
    Model,
    Part,
    literal,
    shape,
)


@dataclass(frozen=True, slots=True)
class Known:
    """An expression with its type and value."""

    text: str
    type: CType
    value: int


class Undefined(Exception):
    """The operation has no value here."""


class Overflows(Undefined):
    """The signed result is not representable."""


def promoted(known: Known) -> Known:
    """After the integer promotions."""
    return Known(known.text, INT, known.value) if known.type.rank < 3 else known


def common(a: CType, b: CType, model: Model) -> CType:
    """The usual arithmetic conversions of promoted types."""
    if a.rank < b.rank or (a.rank == b.rank and a.signed and not b.signed):
        a, b = b, a
    if a.signed and not b.signed and not a.holds(b.most):
        unsigned = {4: model.ulong, 5: ULLONG}
        return unsigned[a.rank]
    return a


def _quotient(x: int, y: int) -> int:
    return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)


_ARITHMETIC: dict[str, Callable[[int, int], int]] = {
    "+": lambda x, y: x + y,
    "-": lambda x, y: x - y,
    "*": lambda x, y: x * y,
    "&": lambda x, y: x & y,
    "|": lambda x, y: x | y,
    "^": lambda x, y: x ^ y,
    "/": _quotient,
    "%": lambda x, y: x - _quotient(x, y) * y,
}
_COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "<": lambda x, y: x < y, "<=": lambda x, y: x <= y, ">": lambda x, y: x > y,
    ">=": lambda x, y: x >= y, "==": lambda x, y: x == y, "!=": lambda x, y: x != y,
}  # fmt: skip


def binary(op: str, a: Known, b: Known, model: Model, wraps: bool) -> Known:
    """`a op b`; raises Undefined, Overflows where signed arithmetic may not wrap."""
    text, x, y = f"({a.text} {op} {b.text})", promoted(a), promoted(b)
    if op in ("<<", ">>"):
        if not 0 <= y.value < x.type.bits:
            raise Undefined
        if op == ">>":
            return Known(text, x.type, x.value >> y.value)
        result = x.value << y.value
        if x.type.signed and not wraps and (x.value < 0 or not x.type.holds(result)):
            raise Overflows
        return Known(text, x.type, x.type.wrap(result))
    type = common(x.type, y.type, model)
    left, right = type.wrap(x.value), type.wrap(y.value)
    if op in _COMPARISONS:
        return Known(text, INT, int(_COMPARISONS[op](left, right)))
    if op in "/%" and right == 0:
        raise Undefined
    result = _ARITHMETIC[op](left, right)
    if op in "/%" and type.signed and right == -1 and left == type.least:
        raise Overflows
    if type.signed and not wraps and not type.holds(result):
        raise Overflows
    return Known(text, type, type.wrap(result))


def unary(op: str, a: Known, wraps: bool) -> Known:
    x = promoted(a)
    text = f"({op}{a.text})"
    match op:
        case "!":
            return Known(text, INT, int(a.value == 0))
        case "~":
            return Known(text, x.type, x.type.wrap(~x.value))
        case "+":
            return Known(text, x.type, x.value)
    if x.type.signed and not wraps and not x.type.holds(-x.value):
        raise Overflows
    return Known(text, x.type, x.type.wrap(-x.value))


OPERATORS = ("+", "-", "*", "&", "|", "^", "/", "%", "<<", ">>", "<", "<=", ">", ">=", "==", "!=")


def leaf(d: Draw) -> Known:
    type = d.choose(d.model.integers)
    value = d.value(type)
    return Known(d.hide(value, type), type, value)


def amount(d: Draw, of: Known) -> Known:
    """A shift amount that is right, of any type."""
    type = d.choose([t for t in d.model.integers if t.bits > 7])
    value = d.choose((0, 1, promoted(of).type.bits - 1, d.below(promoted(of).type.bits)))
    return Known(d.hide(value, type), type, value)


def expression(d: Draw, depth: int, wraps: bool) -> Known:
    """A random expression without undefined operations."""
    if depth == 0:
        return leaf(d)
    a = expression(d, depth - 1, wraps)
    while True:
        try:
            match d.below(7):
                case 0:
                    return unary(d.choose("-~!+"), a, wraps)
                case 1:
                    to = d.choose(d.model.integers)
                    return Known(f"(({to.name}){a.text})", to, to.wrap(a.value))
                case 2:
                    other, condition = leaf(d), leaf(d)
                    type = common(promoted(a).type, promoted(other).type, d.model)
                    value = a.value if condition.value else other.value
                    return Known(f"({condition.text} ? {a.text} : {other.text})", type, type.wrap(value))
                case 3:
                    return binary(d.choose(("<<", ">>")), a, amount(d, a), d.model, wraps)
                case _:
                    b = expression(d, d.below(depth), wraps)
                    pair = (a, b) if d.coin() else (b, a)
                    return binary(d.choose(OPERATORS), *pair, d.model, wraps)
        except Undefined:
            continue


def says(d: Draw, known: Known) -> str:
    """An assertion about the value, wrong if there is to be a fault; the expression is used once."""
    expected = known.value
    if d.fault:
        expected = known.type.wrap(d.choose((known.value + 1, known.value - 1, known.value ^ 1 << d.below(known.type.bits), ~known.value)))
        if expected == known.value:
            return f"A({known.text} != {literal(known.value, known.type)});"
    return f"A({known.text} == {literal(expected, known.type)});"


@shape(UNREACH, "error", weight=10)
def value_of_expression(d: Draw) -> Part:
    known = expression(d, d.between(1, 4), True)
    return d.part(says(d, known))


@shape(UNREACH, "error", weight=4)
def type_of_expression(d: Draw) -> Part:
    """The type shows in sizeof, in what division by a negative number gives, and in the sign."""
    known = expression(d, d.between(1, 3), True)
    size = known.type.bits // 8 if known.type.name != "_Bool" else 1
    if d.coin():
        wrong = size * 2 if size < 8 else size // 2
        return d.part(f"A(sizeof({known.text}) == {wrong if d.fault else size});")
    sign = promoted(known).type.signed
    return d.part(f"A((({known.text}) * 0 - 1 < 0) == {int(sign) ^ d.fault});")


@shape(UNREACH, "error", weight=5)
def narrow_assignments(d: Draw) -> Part:
    """`op=`, `++` and `--` on objects of any type: the arithmetic is wide, the result is not."""
    type = d.choose(d.model.integers)
    value = d.value(type)
    lines = [f"{type.name} x = {d.hide(value, type)};"]
    for _ in range(d.between(1, 4)):
        step = d.below(4)
        if step == 0:
            lines.append(d.choose(("x++;", "++x;")))
            value = type.wrap(value + 1)
        elif step == 1:
            lines.append(d.choose(("x--;", "--x;")))
            value = type.wrap(value - 1)
        else:
            known = Known("x", type, value)
            try:
                op = d.choose(("+", "-", "*", "&", "|", "^", "/", "%", "<<", ">>"))
                other = amount(d, known) if op in ("<<", ">>") else leaf(d)
                result = binary(op, known, other, d.model, True)
            except Undefined:
                continue
            lines.append(f"x {op}= {other.text};")
            value = type.wrap(result.value)
    return d.part(*lines, says(d, Known("x", type, value)))


@shape(UNREACH, "error", weight=3)
def conversions_in_calls(d: Draw) -> Part:
    """Arguments and results are converted to the function's types."""
    taken, given = d.choose(d.model.integers), d.choose(d.model.integers)
    argument = expression(d, 1, True)
    value = given.wrap(taken.wrap(argument.value))
    function = f"static {given.name} f$({taken.name} x) {{ return x; }}"
    return d.part(says(d, Known(f"f$({argument.text})", given, value)), outside=(function,))


@shape(UNREACH, "error", weight=3)
def any_value_of_a_type(d: Draw) -> Part:
    """What holds of all values of a narrow type, or of all but one."""
    type = d.choose([t for t in d.model.integers if t.nondet and t.bits <= 16])
    wide = d.choose((INT, LLONG, d.model.long))
    edge = d.choose((type.least, type.most))
    bound = f"x {'>=' if edge == type.least else '<='} {literal(edge, wide)}"
    if d.fault:
        edge = d.choose((edge, type.wrap(3)))
        bound = f"x != {literal(edge, wide)}"
    return d.part(f"{wide.name} x = {d.asked(type, edge)};", f"A({bound});")


def _overflowing(d: Draw, known: Known) -> str:
    """An expression whose last operation, the only one, overflows; mostly upon `known`."""
    kind = d.below(8)
    if kind == 0:
        type = d.choose([t for t in d.model.integers if t.signed and t.rank >= 3])
        d.unsure = type.bits == 128
        return f"(-{d.hide(type.least, type)})"
    if kind == 1:
        return f"({d.hide(INT.least)} {d.choose('/%')} {d.hide(-1, d.choose((INT, SHORT, SCHAR)))})"
    while True:
        draft = copy.deepcopy(d)
        op = draft.choose(("+", "-", "*", "+", "-", "*", "<<"))
        other = amount(draft, known) if op == "<<" else leaf(draft)
        pair = (known, other) if op == "<<" or draft.coin() else (other, known)
        try:
            binary(op, *pair, d.model, False)
        except Overflows:
            if op != "<<" or promoted(known).value >= 0:
                d.unsure = 128 in (known.type.bits, other.type.bits)  # gcc's sanitizer does not look at these
                d.inputs[:] = draft.inputs
                d.first, d.outside, d.names = draft.first, draft.outside, draft.names
                return f"({pair[0].text} {op} {pair[1].text})"
        except Undefined:
            pass
        d.random = draft.random
        known = leaf(d) if d.coin(8) else known


@shape(OVERFLOW, "undefined", weight=10)
def overflow_of_expression(d: Draw) -> Part:
    """An expression of which one operation overflows or none."""
    known = expression(d, d.between(0, 3), False)
    text = _overflowing(d, known) if d.fault else known.text
    d.unsure = d.unsure or re.search(r"\bh\d", text) is None  # gcc folds constants without a test
    return d.part(f"volatile long long r = {text};")


@shape(OVERFLOW, "undefined", weight=5)
def overflow_of_assignments(d: Draw) -> Part:
    """Narrow types never overflow in `op=`; int and wider do."""
    type = d.choose([t for t in d.model.integers if t.signed and (t.rank >= 3) == d.fault and t.bits < 128]) if d.coin() or d.fault else UINT
    up = d.coin()
    value = type.most if up else type.least
    by = d.between(1, 200)
    if not d.fault and type.signed and type.rank >= 3:
        value += -by if up else by
    sign = "+" if up else "-"
    change = d.choose((f"x {sign}= {d.hide(by)};", f"x{sign}{sign};", f"{sign}{sign}x;", f"x = x {sign} {d.hide(by)};"))
    return d.part(f"{type.name} x = {d.hide(value, type)};", change, "volatile long long r = x;")


@shape(OVERFLOW, "undefined", weight=3)
def product_of_promoted(d: Draw) -> Part:
    """unsigned short times unsigned short is an int; unsigned char and short products never overflow."""
    if d.fault:
        type, a, b = USHORT, d.between(46341, 65535), d.between(46341, 65535)
    else:
        type = d.choose((UCHAR, SHORT, SCHAR, CHAR))
        a, b = d.value(type), d.value(type)
    x, y = d.hide(a, type), d.hide(b, type)
    return d.part(f"{type.name} x = {x}, y = {y};", "volatile unsigned r = x * y;")


@shape(OVERFLOW, "undefined", weight=4)
def any_input_overflows(d: Draw) -> Part:
    """A bound on an input that is just tight enough."""
    type = d.choose((INT, d.model.long, LLONG))
    kind = d.below(4)
    limit = type.most
    if kind == 0:
        by = d.between(1, 1000)
        edge = limit - by + d.fault
        text, bound = f"x + {by}", f"x > {literal(edge, type)}"
    elif kind == 1:
        by = d.between(2, 9)
        edge = limit // by + d.fault
        text, bound = f"x * {by}", f"x > {literal(edge, type)} || x < 0"
    elif kind == 2:
        edge = limit - (0 if d.fault else 1)
        text, bound = "-2 - x" if d.fault else "-1 - x", "x < 0"
        edge = type.most
    else:
        amount_ = d.between(1, 9)
        edge = (limit >> amount_) + d.fault
        text, bound = f"x << {amount_}", f"x < 0 || x > {literal(edge, type)}"
    given = d.asked(type, edge)
    return d.part(f"{type.name} x = {given};", f"if ({bound}) return;", f"volatile {type.name} y = {text};")
