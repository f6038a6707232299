"""Assertions as an SMT-LIB 2 script.

Shared nodes and long texts become `define-fun`s without arguments, so the script is as large as the DAG and
Shared nodes and long texts become `define-fun`s without arguments, so a script is as large as the DAG and
constants `addr!<id>`; BITS_FROM_FP terms are constants `bits!<n>` with an assertion named `bits-of!<n>` that
equates their float (so a solver may choose the payload of a NaN).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from counterpoint.core.patterns import regex
from counterpoint.term.sorts import BOOL, ArraySort, BitVec, Float, Sort
from counterpoint.term.term import Op, RoundingMode, Term, TermError, V, argument_sorts
from counterpoint.term.walk import reachable

_LONGEST_TEXT: Final = 160
_PLAIN_SYMBOL: Final = regex(r"[A-Za-z_~$%&*+/<>=?^][A-Za-z0-9_~!@$%&*+/<>=?^.-]*\Z")
RESERVED: Final = frozenset(
    [
        *("BINARY", "DECIMAL", "HEXADECIMAL", "NUMERAL", "STRING", "_", "!", "as", "let", "exists", "forall"),
        *("match", "par", "true", "false"),
    ]
)

SIMPLE_NAMES: Final = {
    Op.NOT: "not", Op.AND: "and", Op.XOR: "xor", Op.ITE: "ite", Op.EQ: "=", Op.ULT: "bvult",
    Op.SLT: "bvslt", Op.ADD: "bvadd", Op.SUB: "bvsub", Op.NEG: "bvneg", Op.MUL: "bvmul", Op.UDIV: "bvudiv",
    Op.UREM: "bvurem", Op.SDIV: "bvsdiv", Op.SREM: "bvsrem", Op.BVAND: "bvand", Op.BVOR: "bvor",
    Op.BVXOR: "bvxor", Op.BVNOT: "bvnot", Op.SHL: "bvshl", Op.LSHR: "bvlshr", Op.ASHR: "bvashr",
    Op.CONCAT: "concat", Op.SELECT: "select", Op.STORE: "store", Op.FP_REM: "fp.rem", Op.FP_NEG: "fp.neg",
    Op.FP_ABS: "fp.abs", Op.FP_EQ: "fp.eq", Op.FP_LT: "fp.lt", Op.FP_LE: "fp.leq", Op.FP_IS_NAN: "fp.isNaN",
    Op.FP_IS_INF: "fp.isInfinite", Op.FP_IS_ZERO: "fp.isZero", Op.FP_IS_NEGATIVE: "fp.isNegative",
    Op.FP_IS_NORMAL: "fp.isNormal", Op.FP_IS_SUBNORMAL: "fp.isSubnormal",
}  # fmt: skip
ROUNDED_NAMES: Final = {
    Op.FP_ADD: "fp.add", Op.FP_SUB: "fp.sub", Op.FP_MUL: "fp.mul", Op.FP_DIV: "fp.div", Op.FP_FMA: "fp.fma",
    Op.FP_SQRT: "fp.sqrt",
}  # fmt: skip
MODE_NAMES: Final = {
    RoundingMode.NEAREST_EVEN: "RNE", RoundingMode.NEAREST_AWAY: "RNA", RoundingMode.UPWARD: "RTP",
    RoundingMode.DOWNWARD: "RTN", RoundingMode.TOWARD_ZERO: "RTZ",
}  # fmt: skip


def to_smtlib(assertions: Iterable[V], comment: str = "") -> str:
    """A script that asserts each of them and ends with `(check-sat)`. `comment` goes before it, line by line.

    Raises TermError if a variable's name cannot be written, or stands for variables of two sorts.
    """
    return _Script(list(assertions)).text(comment)


def sort_text(sort: Sort) -> str:
    """The SMT-LIB name of a sort."""
    if isinstance(sort, BitVec):
        return f"(_ BitVec {sort.width})"
    if isinstance(sort, Float):
        return f"(_ FloatingPoint {sort.exponent_bits} {sort.significand_bits})"
    if isinstance(sort, ArraySort):
        return f"(Array (_ BitVec {sort.index}) (_ BitVec {sort.element}))"
    return "Bool"


def constant_text(value: int, sort: Sort) -> str:
    """A constant; floats by their bits."""
    if isinstance(sort, BitVec):
        if sort.width % 4 == 0:
            return f"#x{value:0{sort.width // 4}x}"
        return f"#b{value:0{sort.width}b}"
    if isinstance(sort, Float):
        bits = f"{value:0{sort.width}b}"
        fraction = 1 + sort.exponent_bits
        return f"(fp #b{bits[0]} #b{bits[1:fraction]} #b{bits[fraction:]})"
    return "true" if value else "false"


def symbol(name: str) -> str:
    """`name` as an SMT-LIB symbol, quoted where needed. Raises TermError for a name that no symbol can be."""
    if _PLAIN_SYMBOL.match(name) and name not in RESERVED:
        return name
    if "|" in name or "\\" in name or not name.isprintable():
        raise TermError(f"{name!r} cannot be the name of a variable in SMT-LIB")
    return f"|{name}|"


class _Script:
    """The lines of one script."""

    def __init__(self, assertions: list[V]) -> None:
        self._assertions = assertions
        self._terms = reachable(assertions)
        self._texts: dict[Term, str] = {}
        self._lines: list[str] = []
        names = {str(term.payload) for term in self._terms if term.op is Op.VARIABLE}
        self._names = names
        self._prefix = _unused_prefix("t", names)
        self._uses = self._count_uses()

    def text(self, comment: str) -> str:
        self._declare()
        for term in self._terms:
            if term not in self._texts:
                self._name_if_large(term, self._application(term))
        for formula in self._assertions:
            text = self._texts[formula] if isinstance(formula, Term) else constant_text(formula, BOOL)
            self._lines.append(f"(assert {text})")
        header = [f"; {line}" for line in comment.splitlines()]
        return "\n".join([*header, f"(set-logic {self._logic()})", *self._lines, "(check-sat)", ""])

    def _count_uses(self) -> dict[Term, int]:
        uses: dict[Term, int] = {}
        for term in self._terms:
            for arg in term.args:
                if isinstance(arg, Term):
                    uses[arg] = uses.get(arg, 0) + 1
        return uses

    def _logic(self) -> str:
        sorts = [sort for term in self._terms for sort in (term.sort, *argument_sorts(term))]
        arrays = "A" if any(isinstance(sort, ArraySort) for sort in sorts) else ""
        floats = "FP" if any(isinstance(sort, Float) for sort in sorts) else ""
        return f"QF_{arrays}BV{floats}"

    def _declare(self) -> None:
        sorts: dict[str, Sort] = {}
        for term in self._terms:
            if term.op is Op.VARIABLE:
                name = str(term.payload)
            elif term.op is Op.ADDRESS:
                name = f"addr!{term.payload}"
            else:
                continue
            if sorts.setdefault(name, term.sort) is not term.sort or (
                term.op is Op.ADDRESS and name in self._names
            ):
                raise TermError(f"the name {name} stands for two different unknowns")
            self._texts[term] = symbol(name)
            self._lines.append(f"(declare-const {symbol(name)} {sort_text(term.sort)})")

    def _name_if_large(self, term: Term, text: str) -> None:
        if term.op is Op.OWNED:
            self._texts[term] = text
            return
        if term.op is Op.BITS_FROM_FP or (self._uses.get(term, 0) < 2 and len(text) <= _LONGEST_TEXT):
            self._texts[term] = text
            return
        name = f"{self._prefix}{len(self._texts)}"
        self._lines.append(f"(define-fun {name} () {sort_text(term.sort)} {text})")
        self._texts[term] = name

    def _application(self, term: Term) -> str:
        op = term.op
        if op is Op.OWNED:
            value = term.args[0]
            return constant_text(value, term.sort) if isinstance(value, int) else self._texts[value]
        args = " ".join(
            constant_text(arg, sort) if isinstance(arg, int) else self._texts[arg]
            for arg, sort in zip(term.args, argument_sorts(term), strict=True)
        )
        if op is Op.BITS_FROM_FP:
            return self._bits(term, args)
        if op is Op.CONSTANT_ARRAY:
            return f"((as const {sort_text(term.sort)}) {args})"
        return f"({_head(term)} {args})"

    def _bits(self, term: Term, value: str) -> str:
        (sort,) = argument_sorts(term)
        number = f"{len(self._texts)}"
        while f"bits!{number}" in self._names:
            number += "x"
        name = f"bits!{number}"
        read = f"((_ to_fp {_format(sort)}) {name})"
        self._lines.append(f"(declare-const {name} {sort_text(term.sort)})")
        self._lines.append(f"(assert (! (= {read} {value}) :named bits-of!{number}))")
        return name


def _unused_prefix(prefix: str, names: set[str]) -> str:
    prefix += "!"
    while any(name.startswith(prefix) for name in names):
        prefix += "!"
    return prefix


def _format(sort: Sort) -> str:
    assert isinstance(sort, Float)
    return f"{sort.exponent_bits} {sort.significand_bits}"


def _head(term: Term) -> str:
    """The operator's text, with indices and rounding mode."""
    op, payload, sort = term.op, term.payload, term.sort
    name = SIMPLE_NAMES.get(op)
    if name is not None:
        return name
    name = ROUNDED_NAMES.get(op)
    if name is not None:
        return f"{name} RNE"
    if op is Op.FP_ROUND:
        assert isinstance(payload, int)
        return f"fp.roundToIntegral {MODE_NAMES[RoundingMode(payload)]}"
    if op is Op.FP_FROM_BITS:
        return f"(_ to_fp {_format(sort)})"
    if op is Op.FP_TO_FP or op is Op.FP_FROM_SIGNED:
        return f"(_ to_fp {_format(sort)}) RNE"
    if op is Op.FP_FROM_UNSIGNED:
        return f"(_ to_fp_unsigned {_format(sort)}) RNE"
    assert isinstance(sort, BitVec)
    if op is Op.FP_TO_SIGNED:
        return f"(_ fp.to_sbv {sort.width}) RTZ"
    if op is Op.FP_TO_UNSIGNED:
        return f"(_ fp.to_ubv {sort.width}) RTZ"
    assert isinstance(payload, int)
    if op is Op.EXTRACT:
        return f"(_ extract {payload + sort.width - 1} {payload})"
    return f"(_ {'zero' if op is Op.ZEXT else 'sign'}_extend {sort.width - payload})"
