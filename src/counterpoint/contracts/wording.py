"""Formulas over named values as ACSL and as C.

ACSL's integers have no bounds, the machine's do: what is computed has a cast to the type that it is computed in, as in
`\\result == (int)(a + b)`, and where a value is read at another signedness than its type's it has a cast as well. In C
sums are computed unsigned, since signed overflow has no meaning there. What neither can say exactly has no text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from counterpoint.contracts.views import Seen
from counterpoint.core.records import dataclass
from counterpoint.term import build
from counterpoint.term.sorts import BOOL, BitVec
from counterpoint.term.term import Op, Term, V, argument_sorts
from counterpoint.term.walk import variables

ACSL: Final = "acsl"
CPROVER: Final = "cprover"

_DEEPEST: Final = 12
_OPERATORS: Final = {Op.ADD: "+", Op.SUB: "-", Op.MUL: "*"}
_BITS: Final = {Op.BVAND: "&", Op.BVOR: "|", Op.BVXOR: "^"}
_DIVISIONS: Final = {Op.SDIV: ("/", True), Op.SREM: ("%", True), Op.UDIV: ("/", False), Op.UREM: ("%", False)}
_TYPES: Final = {8: "char", 16: "short", 32: "int", 64: "long"}
_ORDERS: Final = {Op.SLT: True, Op.ULT: False}


class Unsayable(Exception):
    """The language has no exact words for the formula."""


@dataclass(frozen=True, slots=True)
class Words:
    """Writes formulas over the variables in `names`. `language`: ACSL or CPROVER; `before`: as read where the call
    begins, where nothing is old yet. `long_bits`: of a C long. `given`: what holds where the text is read, without
    which some operations have no words: that a divisor is not 0, that bits are moved by less than there are."""

    names: Mapping[Term, Seen]
    parameters: frozenset[str]
    language: str = ACSL
    before: bool = False
    long_bits: int = 64
    given: frozenset[V] = frozenset()

    # ------------------------------------------------------------ Bools

    def condition(self, formula: V, depth: int = 0) -> str:
        """Raises Unsayable."""
        if isinstance(formula, int):
            return ("\\true" if formula else "\\false") if self.language == ACSL else str(formula)
        if depth > _DEEPEST:
            raise Unsayable
        match formula.op:
            case Op.NOT:
                return self._negated(formula.args[0], depth)
            case Op.AND:
                return " && ".join(self._part(arg, depth) for arg in formula.args)
            case Op.XOR:
                return " != ".join(f"({self.condition(arg, depth + 1)})" for arg in formula.args)
            case Op.EQ:
                return self._equal(formula, "==")
            case Op.ULT | Op.SLT:
                return self._ordered(formula, "<")
            case Op.VARIABLE if formula.sort is BOOL:
                return f"{self._name(formula)} != 0"
        raise Unsayable

    def _part(self, formula: V, depth: int) -> str:
        text = self.condition(formula, depth + 1)
        return f"({text})" if "||" in text or "==>" in text else text

    def _negated(self, inner: V, depth: int) -> str:
        assert isinstance(inner, Term)
        match inner.op:
            case Op.EQ:
                return self._equal(inner, "!=")
            case Op.ULT | Op.SLT:
                return self._ordered(inner, ">=")
            case Op.AND:
                parts = [self._negated(arg, depth + 1) if isinstance(arg, Term) else "" for arg in _flat(inner)]
                return " || ".join(f"({part})" if " && " in part else part for part in parts)
            case Op.NOT:
                return self.condition(inner.args[0], depth + 1)
            case Op.VARIABLE if inner.sort is BOOL:
                return f"{self._name(inner)} == 0"
        return f"!({self.condition(inner, depth + 1)})"

    def _equal(self, term: Term, sign: str) -> str:
        one, two = term.args
        if isinstance(one, int):
            one, two = two, one
        if self._is_pointer(one) or self._is_pointer(two):
            return f"{self._pointer(one)} {sign} {self._pointer(two)}"
        width = _argument_width(term)
        solved = self._solved(one, two, width, sign)
        if solved:
            return solved
        signed = self._natural(one)
        if signed is None or (isinstance(two, Term) and self._natural(two) is True):
            signed = self._natural(two) if signed is None else True
        signed = signed is not False and width in _TYPES
        if isinstance(two, Term) and _is_result(two, self.names) and not _is_result(one, self.names):
            one, two = two, one
        return f"{self.value(one, width, signed)} {sign} {self.value(two, width, signed)}"

    def _solved(self, one: V, two: V, width: int, sign: str) -> str:
        """`x == (int)(\\old(x) + 3)` rather than `\\old(x) == (int)(x - 3)`; "" where it is no such sum."""
        for left, right in ((one, two), (two, one)):
            if not isinstance(right, Term) or right.op is not Op.ADD or self._speaks_of_results(left):
                continue
            for part, rest in (right.args, tuple(reversed(right.args))):
                if _is_result(part, self.names) and isinstance(part, Term) and not self._speaks_of_results(rest):
                    signed = self.names[part].signed is not False
                    if isinstance(rest, int):
                        moved = self._computed("+", (left, -rest % (1 << width)), width, signed, 0)
                    else:
                        moved = self._computed("-", (left, rest), width, signed, 0)
                    return f"{self.value(part, width, signed)} {sign} {moved}"
        return ""

    def _speaks_of_results(self, value: V) -> bool:
        return isinstance(value, Term) and any(_is_result(v, self.names) for v in variables(value))

    def _ordered(self, term: Term, sign: str) -> str:
        signed, width = _ORDERS[term.op], _argument_width(term)
        one, two = term.args
        if self._is_pointer(one) or self._is_pointer(two):
            raise Unsayable
        if isinstance(one, int):  # 3 < x
            turned = {"<": ">", ">=": "<="}[sign]
            if not isinstance(two, Term):
                raise Unsayable
            return self._against(two, turned, one, width, signed)
        if isinstance(two, int):
            return self._against(one, sign, two, width, signed)
        return f"{self.value(one, width, signed)} {sign} {self.value(two, width, signed)}"

    def _against(self, value: Term, sign: str, limit: int, width: int, signed: bool) -> str:
        """`x > 3` rather than `3 < x`; `x >= 0` rather than `x > -1`."""
        number = limit - (1 << width) if signed and limit >> (width - 1) else limit
        if number == -1 and sign in (">", "<="):
            sign, number = {">": ">=", "<=": "<"}[sign], 0
        elif number == 1 and sign in ("<", ">="):
            sign, number = {"<": "<=", ">=": ">"}[sign], 0
        text = self.constant(number & ((1 << width) - 1), width, signed)
        return f"{self.value(value, width, signed)} {sign} {text}"

    # ------------------------------------------------------------ pointers

    def _is_pointer(self, value: V) -> bool:
        return isinstance(value, Term) and value in self.names and self.names[value].pointer

    def _pointer(self, value: V) -> str:
        if value == 0 and isinstance(value, int):
            return "\\null" if self.language == ACSL else "(void *)0"
        if not isinstance(value, Term) or not self._is_pointer(value):
            raise Unsayable
        return self._name(value)

    # ------------------------------------------------------------ numbers

    def value(self, value: V, width: int, signed: bool, depth: int = 0) -> str:
        """The number that the bits are, as signed or unsigned ones. Raises Unsayable."""
        if isinstance(value, int):
            return self.constant(value, width, signed)
        if depth > _DEEPEST:
            raise Unsayable
        op, args = value.op, value.args
        if op is Op.VARIABLE:
            seen = self.names.get(value)
            if seen is None or seen.pointer:
                raise Unsayable
            name = self._name(value)
            plain = seen.signed is signed or (seen.small and self.language == ACSL)
            return name if plain else f"({self.type(width, signed)}){name}"
        if op in _OPERATORS:
            return self._computed(_OPERATORS[op], args, width, signed, depth)
        if op is Op.NEG:
            return self._computed("-", args, width, signed, depth)
        if op in _BITS:
            sides = [self._operand(arg, width, signed, depth) for arg in args]
            return f"({f' {_BITS[op]} '.join(sides)})"
        if op in _DIVISIONS:
            return self._divided(value, width, signed, depth)
        return self._other(value, width, signed, depth)

    def _operand(self, value: V, width: int, signed: bool, depth: int) -> str:
        text = self.value(value, width, signed, depth + 1)
        return f"({text})" if text.startswith("-") else text

    def _computed(self, sign: str, args: Sequence[V], width: int, signed: bool, depth: int) -> str:
        type_ = self.type(width, signed)
        if self.language == ACSL or width < 32:
            sides = [self._operand(arg, width, signed, depth) for arg in args]
        else:
            sides = [self._operand(arg, width, False, depth) for arg in args]
        if sign == "+" and len(args) == 2 and isinstance(args[1], int) and args[1] >> (width - 1) and width >= 32:
            sign, sides = "-", [sides[0], self.constant((1 << width) - args[1], width, False)]
        if sign == "+" and len(sides) == 2 and sides[1].startswith("(-") and sides[1][2:-1].isdecimal():
            text = f"{sides[0]} - {sides[1][2:-1]}"
        else:
            text = f" {sign} ".join(sides) if len(sides) > 1 else f"{sign}{sides[0]}"
        if self.language == CPROVER and width >= 32 and not signed:
            return f"({text})"
        return f"({type_})({text})"

    def _divided(self, value: Term, width: int, signed: bool, depth: int) -> str:
        sign, inner = _DIVISIONS[value.op]
        one, two = value.args
        if isinstance(two, int):
            if two == 0 or two == (1 << width) - 1:
                raise Unsayable
        elif build.ne(two, 0, width) not in self.given or self.language == CPROVER:
            raise Unsayable
        text = f"({self._operand(one, width, inner, depth)} {sign} {self._operand(two, width, inner, depth)})"
        if not isinstance(two, int) and inner:
            return f"({self.type(width, signed)}){text}"
        return text if inner is signed else f"({self.type(width, signed)}){text}"

    def _other(self, value: Term, width: int, signed: bool, depth: int) -> str:
        op, args = value.op, value.args
        match op:
            case Op.ZEXT | Op.SEXT if (moved := _moved_down(value)) is not None:
                inner = op is Op.SEXT
                text = f"({self._operand(moved[0], width, inner, depth)} >> {moved[1]})"
                return text if inner is signed else f"({self.type(width, signed)}){text}"
            case Op.ZEXT | Op.SEXT:
                inner_width, inner = _argument_width(value), op is Op.SEXT
                if inner_width == 1 and not (isinstance(args[0], Term) and args[0].op is Op.EXTRACT and not inner):
                    raise Unsayable
                text = self._operand(args[0], inner_width, inner, depth)
                if self.language == CPROVER or (inner and not signed):
                    return f"({self.type(width, signed)}){text}"
                return text
            case Op.EXTRACT if width not in _TYPES and not signed and isinstance(value.payload, int):
                text = self._operand(args[0], _argument_width(value), False, depth)
                text = f"({text} >> {value.payload})" if value.payload else text
                return f"({text} & {(1 << width) - 1})"
            case Op.EXTRACT if value.payload == 0:
                inner_width = _argument_width(value)
                text = self._operand(args[0], inner_width, signed, depth)
                return f"({self.type(width, signed)}){text}"
            case Op.ITE:
                condition = self.condition(args[0], depth + 1)
                sides = [self.value(arg, width, signed, depth + 1) for arg in args[1:]]
                return f"(({condition}) ? {sides[0]} : {sides[1]})"
            case Op.SHL if self._is_amount(args[1], width):
                inner = signed if self.language == ACSL else False
                amount = self._operand(args[1], width, False, depth)
                text = f"({self._operand(args[0], width, inner, depth)} << {amount})"
                return f"({self.type(width, signed)}){text}"
            case Op.LSHR | Op.ASHR if self._is_amount(args[1], width):
                inner, amount = op is Op.ASHR, self._operand(args[1], width, False, depth)
                text = f"({self._operand(args[0], width, inner, depth)} >> {amount})"
                return text if inner is signed else f"({self.type(width, signed)}){text}"
        raise Unsayable

    def _is_amount(self, value: V, width: int) -> bool:
        """Bits are moved by less than there are."""
        if isinstance(value, int):
            return value < width
        below = (build.ult(value, width, width), build.not_(build.ult(width - 1, value, width)))
        return any(one in self.given for one in below)

    def constant(self, value: int, width: int, signed: bool) -> str:
        """A literal; of another type than int only where it has to be."""
        if signed and value >> (width - 1):
            value -= 1 << width
        if value == -(1 << 31) and self.language == CPROVER:
            return "(-2147483647 - 1)"
        suffix = "u" if not signed and self.language == CPROVER and width >= 32 else ""
        if width == 64 and not -(1 << 31) <= value < 1 << 31 and self.language == CPROVER:
            suffix += "ll"
        return f"{value}{suffix}"

    def type(self, width: int, signed: bool) -> str:
        """The C type of so many bits. Raises Unsayable where there is none."""
        names = {**_TYPES, 64: "long" if self.long_bits == 64 else "long long"}
        if width not in names:
            raise Unsayable
        if width == 8:
            return "signed char" if signed else "unsigned char"
        return names[width] if signed else f"unsigned {names[width]}"

    def _natural(self, value: V) -> bool | None:
        """The signedness that needs the fewest casts."""
        if not isinstance(value, Term):
            return None
        if value.op is Op.VARIABLE:
            seen = self.names.get(value)
            return seen.signed if seen is not None else None
        if value.op is Op.ZEXT:
            return True
        found = [self._natural(arg) for arg in value.args if isinstance(arg, Term) and isinstance(arg.sort, BitVec)]
        if value.op in _DIVISIONS:
            return _DIVISIONS[value.op][1]
        return next((one for one in found if one is not None), None)

    # ------------------------------------------------------------ names

    def _name(self, variable: Term) -> str:
        if variable not in self.names:
            raise Unsayable
        seen = self.names[variable]
        return self.name(seen)

    def name(self, seen: Seen) -> str:
        """What the value is called where the contract is read: at the function's end, or `before` it."""
        if seen.result:
            if self.before:
                raise Unsayable
            return seen.text if self.language == ACSL else seen.text.replace("\\result", "__CPROVER_return_value")
        if seen.argument or (seen.old and self.before):
            return seen.text
        if self.before:
            raise Unsayable
        if seen.old:
            return self.old(seen.text)
        if seen.text.startswith("(*"):  # elements of an array that a pointer leads to
            array, _, rest = seen.text[2:].partition(")[")
            return seen.text if self.is_fixed(array) else f"(*{self.old(array)})[{rest}"
        base, sign, rest = seen.text.rpartition("->")
        if not sign and seen.text.startswith("*"):
            base = seen.text[1:]
        if not base or self.is_fixed(base):
            return seen.text
        return f"{self.old(base)}->{rest}" if sign else f"*{self.old(base)}"

    def old(self, text: str) -> str:
        return f"\\old({text})" if self.language == ACSL else f"__CPROVER_old({text})"

    def is_fixed(self, pointer: str) -> bool:
        """A pointer that is a part of an argument: the same before and behind the call."""
        root = pointer.split(".")[0].split("[")[0]
        return "->" not in pointer and "*" not in pointer and root in self.parameters


def _argument_width(term: Term) -> int:
    sort = argument_sorts(term)[0]
    return sort.width if isinstance(sort, BitVec) else 1


def _moved_down(value: Term) -> tuple[Term, int] | None:
    """What is moved down, and by how many bits, where the value is its upper bits, extended again."""
    inner = value.args[0]
    if not isinstance(inner, Term) or inner.op is not Op.EXTRACT or not isinstance(value.sort, BitVec):
        return None
    whole, low, width = inner.args[0], inner.payload, value.sort.width
    if not isinstance(whole, Term) or whole.sort is not value.sort or not isinstance(low, int) or low == 0:
        return None
    if not isinstance(inner.sort, BitVec) or low + inner.sort.width != width:
        return None
    return whole, low


def _is_result(value: V, names: Mapping[Term, Seen]) -> bool:
    return isinstance(value, Term) and value in names and not (names[value].old or names[value].argument)


def _flat(term: Term) -> list[V]:
    """The conjuncts of an AND."""
    found: list[V] = []
    for arg in term.args:
        if isinstance(arg, Term) and arg.op is Op.AND:
            found += _flat(arg)
        else:
            found.append(arg)
    return found


def disjuncts(formula: V) -> list[V]:
    """The formula as a disjunction."""
    inner = formula.args[0] if isinstance(formula, Term) and formula.op is Op.NOT else 0
    if isinstance(inner, Term) and inner.op is Op.AND:
        return [build.not_(part) for part in _flat(inner)]
    return [formula]
