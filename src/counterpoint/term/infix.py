"""Formulas as C expressions for people, over names that the caller gives to variables; not meant to be read back.

Names stand for signed integers of their width: what is unsigned has a cast, as in `(unsigned)i <= (unsigned)n`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from counterpoint.term.sorts import BitVec
from counterpoint.term.term import Op, Term, V, argument_sorts

Text = tuple[str, int]
"""An expression and how tightly its outermost operator binds (C's precedence, larger is tighter)."""

Read = Callable[[Term], tuple[str, bool] | None]
"""What a variable, element or sequence of bytes is called as a whole, and whether that is a cast; None: nothing."""

_READS: Final = (Op.VARIABLE, Op.SELECT, Op.CONCAT)

_LARGEST = 400
"""Nodes, shared ones counted as often as they occur, that are written of a formula."""

_DEEPEST = 60
"""Nesting up to which they are: the writer is recursive."""

_REST: Final = ".."
"""Stands for what is left out."""

_ATOM, _UNARY, _COMPARE, _EQUAL, _AND, _OR, _CHOICE = 20, 14, 9, 8, 4, 3, 2
_BINARY: Final = {
    Op.MUL: ("*", 12), Op.SDIV: ("/", 12), Op.SREM: ("%", 12), Op.ADD: ("+", 11), Op.SUB: ("-", 11), Op.SHL: ("<<", 10),
    Op.ASHR: (">>", 10), Op.BVAND: ("&", 7), Op.BVXOR: ("^", 6), Op.BVOR: ("|", 5), Op.FP_ADD: ("+", 11),
    Op.FP_SUB: ("-", 11), Op.FP_MUL: ("*", 12), Op.FP_DIV: ("/", 12), Op.FP_EQ: ("==", 8), Op.FP_LT: ("<", 9),
    Op.FP_LE: ("<=", 9),
}  # fmt: skip
_UNSIGNED: Final = {Op.UDIV: ("/", 12), Op.UREM: ("%", 12), Op.LSHR: (">>", 10)}
_ORDER: Final = (Op.ULT, Op.SLT)
_TYPES: Final = {8: "char", 16: "short", 32: "int", 64: "long"}


def infix(formula: V, name: Callable[[Term], str], read: Read = lambda term: None) -> str:
    """The formula as C text; `name` is asked for each variable, `read` before it for each read of memory. Large
    formulas are shortened with `..`."""
    if isinstance(formula, int):
        return "true" if formula else "false"
    return _Writer(name, read).text(formula)[0]


def _type(width: int, signed: bool) -> str:
    name = _TYPES.get(width, f"_BitInt({width})")
    return name if signed else "unsigned" if width == 32 else f"unsigned {name}"


def _constant(value: int, width: int, signed: bool) -> str:
    if signed and width > 1 and value >> (width - 1):
        value -= 1 << width
    text = hex(value) if abs(value) >= 1 << 32 else str(value)
    return text if signed else f"{text}u"


def _width(term: Term, position: int = 0) -> int:
    return getattr(argument_sorts(term)[position], "width", 1)


class _Writer:
    """Writes the first _LARGEST nodes of a formula; recursion is as deep as it is, _DEEPEST at most."""

    def __init__(self, name: Callable[[Term], str], read: Read) -> None:
        self.name = name
        self.read = read
        self.left = _LARGEST
        self.depth = 0

    def text(self, term: Term) -> Text:
        self.left -= 1
        if self.left < 0 or self.depth >= _DEEPEST:
            return _REST, _ATOM
        self.depth += 1
        found = self._text(term)
        self.depth -= 1
        return found

    def _text(self, term: Term) -> Text:
        op, args = term.op, term.args
        if op in _READS and (told := self.read(term)) is not None:
            return told[0], _UNARY if told[1] else _ATOM
        if op is Op.VARIABLE:
            return self.name(term), _ATOM
        if op is Op.NOT:
            return self._negated(args[0])
        if op is Op.AND:
            return self._joined("&&", _AND, list(self._all(args, lambda arg: self._side(arg, _AND))))
        if op is Op.XOR:
            return self._joined("!=", _EQUAL, [self._side(arg, _EQUAL + 1) for arg in args])
        if op in (Op.EQ, *_ORDER):
            return self._compared(term, "==" if op is Op.EQ else "<", args)
        if op in _BINARY:
            return self._arithmetic(*_BINARY[op], term)
        if op in _UNSIGNED:
            symbol, level = _UNSIGNED[op]
            sides = [self._unsigned(arg, _width(term), level + n) for n, arg in enumerate(args)]
            return self._joined(symbol, level, sides)
        return self._other(term)

    def _other(self, term: Term) -> Text:
        op, args = term.op, term.args
        match op:
            case Op.ITE:
                sides = [self._operand(term, n, _CHOICE + 1) for n in range(3)]
                return f"{sides[0]} ? {sides[1]} : {sides[2]}", _CHOICE
            case Op.NEG | Op.FP_NEG:
                return f"-{self._operand(term, 0, _UNARY)}", _UNARY
            case Op.BVNOT:
                return f"~{self._operand(term, 0, _UNARY)}", _UNARY
            case Op.SEXT:
                return f"({_type(_own(term), True)}){self._operand(term, 0, _UNARY)}", _UNARY
            case Op.ZEXT:
                return f"({_type(_own(term), True)}){self._unsigned(args[0], _width(term), _UNARY)}", _UNARY
            case Op.EXTRACT:
                return self._part(term)
            case Op.SELECT:
                return f"{self._operand(term, 0, _ATOM)}[{self._operand(term, 1, 0)}]", _ATOM
            case Op.FP_IS_NAN | Op.FP_IS_INF | Op.FP_IS_NEGATIVE:
                names = {Op.FP_IS_NAN: "isnan", Op.FP_IS_INF: "isinf", Op.FP_IS_NEGATIVE: "signbit"}
                return f"{names[op]}({self._operand(term, 0, 0)})", _ATOM
        inside = ", ".join(self._operand(term, n, 0) for n in range(len(args)))
        return f"{op.name.lower()}({inside})", _ATOM

    def _part(self, term: Term) -> Text:
        """Some bits: a cast for the low ones, if there is a type of their width, else a mask."""
        width = _own(term)
        inner = self._operand(term, 0, _UNARY)
        if width in _TYPES:
            shifted = f"({inner} >> {term.payload})" if term.payload else inner
            return f"({_type(width, True)}){shifted}", _UNARY
        mask = hex((1 << width) - 1) if width > 4 else str((1 << width) - 1)
        shifted = f"({inner} >> {term.payload})" if term.payload else inner
        return f"({shifted} & {mask})", _ATOM

    def _masked(self, part: Term, constant: int) -> list[str]:
        """`(x & -4) == 8` rather than `((x >> 2) & 0x3fffffff) == 2`."""
        inner, low = part.args[0], part.payload
        assert isinstance(inner, Term) and isinstance(low, int)
        width = _own(inner)
        mask, value = (_constant(bits, width, signed=True) for bits in ((1 << width) - (1 << low), constant << low))
        return [f"({self._side(inner, _UNARY)} & {mask})", value]

    # ------------------------------------------------------------ parts

    def _side(self, value: V, level: int, width: int = 1, signed: bool = True) -> str:
        """An operand, in parentheses where it binds less tightly than `level`."""
        if isinstance(value, int):
            return _constant(value, width, signed)
        text, own = self.text(value)
        return text if own >= level else f"({text})"

    def _operand(self, term: Term, position: int, level: int) -> str:
        value, sort = term.args[position], argument_sorts(term)[position]
        if isinstance(value, int) and not isinstance(sort, BitVec) and hasattr(sort, "exponent_bits"):
            return _float(value, sort)
        return self._side(value, level, getattr(sort, "width", 1))

    def _unsigned(self, value: V, width: int, level: int) -> str:
        if isinstance(value, int):
            return _constant(value, width, signed=False)
        if value.op is Op.ZEXT:
            return self._unsigned(value.args[0], _width(value), level)
        if value.op is Op.EXTRACT and width not in _TYPES:
            return self._side(value, level)
        text = f"({_type(width, False)}){self._side(value, _UNARY)}"
        return text if level <= _UNARY else f"({text})"

    @staticmethod
    def _joined(symbol: str, level: int, sides: list[str]) -> Text:
        return f" {symbol} ".join(sides), level

    def _binary(self, symbol: str, level: int, term: Term) -> Text:
        return self._joined(symbol, level, [self._operand(term, n, level + n) for n in range(2)])

    def _arithmetic(self, symbol: str, level: int, term: Term) -> Text:
        """`x - 1` for x + 0xffffffff; shifts and bitwise operators get parentheses around their operands."""
        right, width = term.args[1], _width(term)
        if term.op is Op.ADD and isinstance(right, int) and right >> (width - 1):
            less = _constant(-right % (1 << width), width, signed=True)
            return self._joined("-", level, [self._operand(term, 0, level), less])
        if term.op is Op.ADD and isinstance(term.args[0], int):
            return self._joined(symbol, level, [self._operand(term, 1, level), self._operand(term, 0, level)])
        if level <= 10 and level not in (_COMPARE, _EQUAL):
            return self._joined(symbol, level, [self._operand(term, n, _UNARY) for n in range(2)])
        return self._binary(symbol, level, term)

    def _compared(self, term: Term, symbol: str, args: tuple[V, ...]) -> Text:
        level = _COMPARE if symbol[0] in "<>" else _EQUAL
        if isinstance(args[0], int) and not isinstance(args[1], int):  # 5 < x is x > 5
            args, symbol = (args[1], args[0]), {"<": ">", "<=": ">="}.get(symbol, symbol)
        width = _width(term)
        if term.op is Op.EQ and isinstance(args[0], Term) and isinstance(args[1], int) and _upper(args[0]):
            return self._joined(symbol, level, self._masked(args[0], args[1]))
        if term.op is Op.ULT:
            return self._joined(symbol, level, [self._unsigned(arg, width, level + 1) for arg in args])
        if term.op is Op.EQ and not any(isinstance(arg, int) for arg in args):
            return self._joined(symbol, level, self._equal(args, width, level + 1))
        return self._joined(symbol, level, [self._side(arg, level + 1, width) for arg in args])

    def _equal(self, args: tuple[V, ...], width: int, level: int) -> list[str]:
        """The sides of an equation in an order that does not hang on which was made first: `y == x + 1` rather
        than `x == y - 1`, else alphabetical, a sum on the right."""
        for one, other in (args, args[::-1]):
            if isinstance(other, Term) and other.op is Op.ADD and isinstance(other.args[1], int):
                moved = -other.args[1] % (1 << width)
                if moved < other.args[1] and isinstance(other.args[0], Term):
                    more = _constant(moved, width, signed=True)
                    return [self._side(other.args[0], level), f"{self._side(one, level)} + {more}"]
                return [self._side(one, level), self._side(other, level)]
        return sorted(self._side(arg, level, width) for arg in args)

    def _negated(self, inner: V) -> Text:
        assert isinstance(inner, Term)
        args = inner.args
        if inner.op is Op.EQ:
            return self._compared(inner, "!=", args)
        if inner.op in _ORDER:
            return self._compared(inner, "<=", (args[1], args[0]))
        if inner.op is Op.XOR:
            return self._joined("==", _EQUAL, [self._side(arg, _EQUAL + 1) for arg in args])
        if inner.op is Op.AND:
            least = _at_most(args)
            if least is not None:
                return self._compared(least, "<=", least.args)
            return self._joined("||", _OR, list(self._all(args, self._alternative)))
        if inner.op is Op.FP_EQ:
            return self._binary("!=", _EQUAL, inner)
        text, own = self.text(inner)
        return (f"!{text}" if own >= _UNARY else f"!({text})"), _UNARY

    def _all(self, args: Iterable[V], write: Callable[[V], str]) -> Iterator[str]:
        """The texts of the arguments, as many as fit."""
        for arg in args:
            if self.left <= 0:
                yield _REST
                return
            yield write(arg)

    def _alternative(self, denied: V) -> str:
        text, own = self._flipped(denied)
        return text if own >= _OR else f"({text})"

    def _flipped(self, value: V) -> Text:
        if isinstance(value, int):
            return str(1 - value), _ATOM
        if value.op is Op.NOT and isinstance(value.args[0], Term):
            return self.text(value.args[0])
        return self._negated(value)


def _at_most(args: tuple[V, ...]) -> Term | None:
    """x < y where the arguments deny x < y and x == y, in either order: together they say x <= y."""
    inner = [arg.args[0] for arg in args if isinstance(arg, Term) and arg.op is Op.NOT]
    terms = [arg for arg in inner if isinstance(arg, Term)]
    for less, same in (terms, terms[::-1]) if len(terms) == len(args) == 2 else ():
        if less.op in _ORDER and same.op is Op.EQ and set(less.args) == set(same.args):
            return less
    return None


def _upper(term: Term) -> bool:
    """All bits but some low ones, where these are no type of their own."""
    if term.op is not Op.EXTRACT or not isinstance(term.payload, int):
        return False
    inner = term.args[0]
    return isinstance(inner, Term) and 0 < term.payload == _own(inner) - _own(term) and _own(term) not in _TYPES


def _own(term: Term) -> int:
    return getattr(term.sort, "width", 1)


def _float(bits: int, sort: object) -> str:
    """A float constant: decimal for the common formats."""
    import struct

    width = getattr(sort, "width", 0)
    formats = {16: ("<H", "<e"), 32: ("<I", "<f"), 64: ("<Q", "<d")}
    if width not in formats:
        return hex(bits)
    whole, real = formats[width]
    return repr(struct.unpack(real, struct.pack(whole, bits))[0])
