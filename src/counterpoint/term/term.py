"""Interned terms: equality is identity, hashing is free, sharing is guaranteed.

A value `V` is a Python int when it is concrete and a `Term` when it is symbolic. Constants are never
Terms: they stand as ints in `args`, and their sort follows from the operator (see `argument_sorts`).
Every term has at least one Term among its arguments, except VARIABLE, ADDRESS and CONSTANT_ARRAY.
"""

from __future__ import annotations

from typing import TypeAlias

from counterpoint.core.errors import InternalError
from counterpoint.term.display import rendered
from counterpoint.term.operators import Op as Op
from counterpoint.term.operators import RoundingMode as RoundingMode
from counterpoint.term.sorts import BOOL, ArraySort, BitVec, Float, Sort


class TermError(InternalError):
    """A term was asked for that does not exist: wrong sorts, or a symbol used with two sorts."""


Payload: TypeAlias = int | str | None


_OWNED = Op.OWNED


class Term:
    """One node of the shared DAG; made by the constructors in `build`, never directly.

    `index` counts terms in order of creation: arguments have smaller indices than what is built on them.
    `negation` is the complement of a Bool term once it exists. `leaves` is the number of leaves of a tree
    of ITEs that are all constant (0 if it is no such tree, or one that is too large to look into). `owns`: an OWNED
    occurs in it.
    Attributes are never assigned after construction.
    """

    __slots__ = ("args", "index", "leaves", "negation", "op", "owns", "payload", "sort")

    def __init__(self, op: Op, args: tuple[V, ...], payload: Payload, sort: Sort, index: int) -> None:
        self.op = op
        self.args = args
        self.payload = payload
        self.sort = sort
        self.index = index
        self.negation: Term | None = None
        self.leaves = 0
        self.owns = op is _OWNED
        for arg in args:
            if type(arg) is Term and arg.owns:
                self.owns = True

    def __repr__(self) -> str:
        return rendered(self)

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
