"""Interned terms: equality is identity, hashing is free, sharing is guaranteed.

A value `V` is a Python int when it is concrete and a `Term` when it is symbolic. Constants are never
Terms: they stand as ints in `args`, and their sort follows from the operator (see `argument_sorts`).
Every term has at least one Term among its arguments, except VARIABLE, ADDRESS and CONSTANT_ARRAY.
"""

from __future__ import annotations

from enum import IntEnum, unique
from typing import TypeAlias

from counterpoint.core.errors import InternalError
from counterpoint.term.sorts import BOOL, ArraySort, BitVec, Float, Sort


class TermError(InternalError):
    """A term was asked for that does not exist: wrong sorts, or a symbol used with two sorts."""


@unique
class Op(IntEnum):
    """Operators. There is no OR, ULE, SLE or NE: the constructors write them with NOT, AND, ULT, SLT, EQ."""

    VARIABLE = 0  # payload: name
    ADDRESS = 1  # payload: object id
    # Bool -> Bool
    NOT = 2
    AND = 3
    XOR = 4
    # any sort; (Bool, a, a); never of sort Bool
    ITE = 5
    # bit-vectors -> Bool; payload: width of the operands
    EQ = 6
    ULT = 7
    SLT = 8
    # bit-vectors of one width
    ADD = 9
    SUB = 10
    NEG = 11
    MUL = 12
    UDIV = 13
    UREM = 14
    SDIV = 15
    SREM = 16
    BVAND = 17
    BVOR = 18
    BVXOR = 19
    BVNOT = 20
    SHL = 21
    LSHR = 22
    ASHR = 23
    # changes of width
    CONCAT = 24  # payload: width of the low part
    EXTRACT = 25  # payload: index of the lowest bit
    ZEXT = 26  # payload: width of the operand
    SEXT = 27  # payload: width of the operand
    # arrays
    SELECT = 28
    STORE = 29
    CONSTANT_ARRAY = 30
    # floats; rounding is to nearest, ties to even, where no mode is named
    FP_FROM_BITS = 31
    BITS_FROM_FP = 32
    FP_ADD = 33
    FP_SUB = 34
    FP_MUL = 35
    FP_DIV = 36
    FP_REM = 37
    FP_FMA = 38
    FP_SQRT = 39
    FP_NEG = 40
    FP_ABS = 41
    FP_ROUND = 42  # to an integral value; payload: RoundingMode
    FP_EQ = 43
    FP_LT = 44
    FP_LE = 45
    FP_IS_NAN = 46
    FP_IS_INF = 47
    FP_IS_ZERO = 48
    FP_IS_NEGATIVE = 49
    FP_IS_NORMAL = 50
    FP_IS_SUBNORMAL = 51
    FP_TO_FP = 52
    FP_FROM_SIGNED = 53
    FP_FROM_UNSIGNED = 54
    FP_TO_SIGNED = 55  # toward zero
    FP_TO_UNSIGNED = 56  # toward zero
    # a pointer: its address, and (beside it, of no effect on the value) a pointer with the same owner, or none if
    # the owner is to be looked up by address; payload: see semantics/pointers.py
    OWNED = 57


@unique
class RoundingMode(IntEnum):
    """IEEE 754 rounding-direction attributes."""

    NEAREST_EVEN = 0
    NEAREST_AWAY = 1
    UPWARD = 2
    DOWNWARD = 3
    TOWARD_ZERO = 4


Payload: TypeAlias = int | str | None


class Term:
    """One node of the shared DAG; made by the constructors in `build`, never directly.

    `index` counts terms in order of creation: arguments have smaller indices than what is built on them.
    `negation` is the complement of a Bool term once it exists. `leaves` is the number of leaves of a tree
    of ITEs that are all constant (0 if it is no such tree, or one that is too large to look into).
    Attributes are never assigned after construction.
    """

    __slots__ = ("args", "index", "leaves", "negation", "op", "payload", "sort")

    def __init__(self, op: Op, args: tuple[V, ...], payload: Payload, sort: Sort, index: int) -> None:
        self.op = op
        self.args = args
        self.payload = payload
        self.sort = sort
        self.index = index
        self.negation: Term | None = None
        self.leaves = 0

    def __repr__(self) -> str:
        from counterpoint.term.walk import render

        return render(self)

    def __reduce__(self) -> tuple[object, ...]:
        from counterpoint.term.transport import pack, unpack_one

        return unpack_one, (pack((self,)),)

    def __copy__(self) -> Term:
        return self

    def __deepcopy__(self, memo: object) -> Term:
        return self


V: TypeAlias = int | Term

_interned: dict[tuple[object, ...], Term] = {}
_VARIABLE = Op.VARIABLE
_ADDRESS = Op.ADDRESS


def intern(op: Op, args: tuple[V, ...], payload: Payload, sort: Sort) -> Term:
    """The one term with these parts. No checks and no simplification: use `build` for that."""
    key = (op, args, payload, sort)
    term = _interned.get(key)
    if term is None:
        term = Term(op, args, payload, sort, len(_interned))
        _interned[key] = term
    return term


def interned_terms() -> int:
    """How many different terms this process has made."""
    return len(_interned)


def variable(name: str, sort: Sort) -> Term:
    """The unknown `name` of `sort`. The same name with another sort is another unknown."""
    return intern(_VARIABLE, (), name, sort)


def address(object_id: int, width: int) -> Term:
    """The base address of a memory object, `width` bits; solvers and `evaluate` are told its value."""
    return intern(_ADDRESS, (), object_id, BitVec(width))


_SAME = frozenset(
    {
        Op.ADD,
        Op.SUB,
        Op.NEG,
        Op.MUL,
        Op.UDIV,
        Op.UREM,
        Op.SDIV,
        Op.SREM,
        Op.BVAND,
        Op.BVOR,
        Op.BVXOR,
        Op.BVNOT,
    }
    | {Op.SHL, Op.LSHR, Op.ASHR, Op.NOT, Op.AND, Op.XOR, Op.OWNED}
    | {Op.FP_ADD, Op.FP_SUB, Op.FP_MUL, Op.FP_DIV, Op.FP_REM, Op.FP_FMA, Op.FP_SQRT, Op.FP_NEG, Op.FP_ABS}
    | {Op.FP_ROUND}
)
_COMPARISONS = frozenset({Op.EQ, Op.ULT, Op.SLT})


def argument_sorts(term: Term) -> tuple[Sort, ...]:
    """The sorts of `term.args`, also of those that are ints."""
    op, args, sort = term.op, term.args, term.sort
    if op in _SAME:
        return (sort,) * len(args)
    if op in _COMPARISONS:
        assert isinstance(term.payload, int)
        return (BitVec(term.payload),) * 2
    if op is Op.ITE:
        return (BOOL, sort, sort)
    if op is Op.CONCAT:
        assert isinstance(term.payload, int) and isinstance(sort, BitVec)
        return BitVec(sort.width - term.payload), BitVec(term.payload)
    if op in (Op.SELECT, Op.STORE):
        array = args[0]
        assert isinstance(array, Term) and isinstance(array.sort, ArraySort)
        bits = array.sort
        return (bits, BitVec(bits.index), BitVec(bits.element))[: len(args)]
    if op is Op.CONSTANT_ARRAY:
        assert isinstance(sort, ArraySort)
        return (BitVec(sort.element),)
    known = next((arg.sort for arg in args if isinstance(arg, Term)), None)
    if known is None:
        return ()
    return (known,) * len(args)


def float_sort(value: Term) -> Float:
    """The sort of a float term. Raises TermError for any other term."""
    if isinstance(value.sort, Float):
        return value.sort
    raise TermError(f"a float is needed here, not a {value.sort}")


def array_sort(value: Term) -> ArraySort:
    """The sort of an array term. Raises TermError for any other term."""
    if isinstance(value.sort, ArraySort):
        return value.sort
    raise TermError(f"an array is needed here, not a {value.sort}")
