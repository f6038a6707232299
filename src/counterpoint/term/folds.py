"""What constructors have folded: applications of operators with the simpler terms that were given for them.

While `recording` is active, every call of a constructor of `build` whose answer is not the plain application is
kept. That each answer is equal to its application, for all values of the unknowns, can be asked of a solver
(`equations`); then whatever the constructors made of a formula is what it was built as. Applications are written
from the operator's meaning in SMT-LIB, not from the constructors' rules.

What a constructor calls by itself is inside its own answer, and not kept, but for extracts that are pushed through
operators on bits: the answers are deep, and their equations follow from those of their parts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import field
from itertools import islice
from typing import Any, Final, TypeAlias

from counterpoint.core.records import dataclass
from counterpoint.term import bits, build, owned
from counterpoint.term.general import Part
from counterpoint.term.sorts import BOOL, BitVec, Float, Sort
from counterpoint.term.term import Op, RoundingMode, Term, V, array_sort, intern

Applied: TypeAlias = tuple[V, Sort]
"""A value and its sort, which an int does not tell."""


Equation: TypeAlias = tuple[V, V, Sort, int]
"""An application, what was given for it, their sort, and how many equations are older."""


@dataclass(slots=True)
class Folds:
    """Applications as (constructor, arguments) to what the constructor gave for them, each once, the oldest first.

    `parts`: what constructors made on the way, with the numbers of its equations, and the applications.
    """

    made: dict[tuple[str, tuple[Any, ...]], V] = field(default_factory=dict)
    parts: dict[Term, list[Part]] = field(default_factory=dict)

    def equations(self, first: int = 0) -> list[Equation]:
        """The applications as terms that no constructor has seen, and what was given for them, from a number on."""
        made = islice(self.made.items(), first, None)
        return [(*_equation(name, arguments, answer), n) for n, ((name, arguments), answer) in enumerate(made, first)]

    def note(self, high: int, low: int, a: Term, width: int, fuel: int, answer: V) -> None:
        """An extract that a constructor made by itself."""
        key = ("extract", (high, low, a, width, fuel))
        if key in self.made:
            return
        if isinstance(answer, Term):
            applied, _ = _MEANING["extract"](*key[1])
            assert isinstance(applied, Term)
            known = self.parts.setdefault(answer, [])
            if all(applied is not other for _, other in known):
                known.append((len(self.made), applied))
        self.made[key] = answer


@contextmanager
def recording() -> Iterator[Folds]:
    """Keeps what is folded inside of the `with`. Raises RuntimeError inside of another one."""
    folds = Folds()

    def recorded(name: str, constructor: build.Constructor) -> build.Constructor:
        if name in UNCHANGED:
            return constructor
        return _TOGETHER.get(name) or _recorded(name, constructor, folds)

    owned.forget()
    with build.through(recorded), bits.heard(folds.note):
        yield folds


def _recorded(name: str, constructor: build.Constructor, folds: Folds) -> build.Constructor:
    made = folds.made
    meaning = _MEANING[name]

    def recorded(*arguments: Any) -> V:
        answer: V = constructor(*arguments)
        key = (name, arguments)
        if key not in made and meaning(*arguments)[0] is not answer:
            made[key] = answer
        return answer

    return recorded


def _equation(name: str, arguments: tuple[Any, ...], answer: V) -> tuple[V, V, Sort]:
    applied, sort = _MEANING[name](*arguments)
    if name != "bits_from_fp":
        return applied, answer, sort
    value, form = arguments[0], arguments[1]  # any bits of the float will do: a NaN has many
    read = intern(Op.FP_FROM_BITS, (_constant(answer, sort) if isinstance(answer, int) else answer,), None, form)
    return value, read, form


def _conjunction(values: Iterable[V]) -> V:
    """`build.conjunction` by recorded steps."""
    level = list(values)
    while len(level) > 1:
        joined = [build.and_(level[i], level[i + 1]) for i in range(0, len(level) - 1, 2)]
        if len(level) % 2:
            joined.append(level[-1])
        level = joined
    return level[0] if level else 1


def _disjunction(values: Iterable[V]) -> V:
    return build.not_(build.conjunction([build.not_(value) for value in values]))


_TOGETHER: Final = {"conjunction": _conjunction, "disjunction": _disjunction}


# ---------------------------------------------------------------- operators by their meaning


def _apply(op: Op, sort: Sort, *args: V, payload: int | str | None = None) -> Applied:
    return intern(op, args, payload, sort), sort


def _not(a: V) -> Term:
    return intern(Op.NOT, (a,), None, BOOL)


def _and(a: V, b: V) -> Term:
    return intern(Op.AND, (a, b), None, BOOL)


def _or(a: V, b: V) -> Term:
    return _not(_and(_not(a), _not(b)))


def _vector(op: Op) -> Callable[..., Applied]:
    return lambda *args: _apply(op, BitVec(args[-1]), *args[:-1])


def _compare(op: Op) -> Callable[..., Applied]:
    return lambda a, b, width, *fuel: _apply(op, BOOL, a, b, payload=width)


def _float(op: Op) -> Callable[..., Applied]:
    return lambda *args: _apply(op, args[-1], *args[:-1])


def _float_test(op: Op) -> Callable[..., Applied]:
    return lambda *args: (_of_floats(op, args[:-1], BOOL, args[-1]), BOOL)


def _of_floats(op: Op, args: Sequence[V], sort: Sort, format_: Float) -> Term:
    """An operator of which a float constant would not tell its format."""
    return intern(op, tuple(_constant(a, format_) if isinstance(a, int) else a for a in args), None, sort)


def _of_bits(op: Op, a: V, width: int, sort: Sort, payload: int | None = None) -> Applied:
    """An operator of which a bit-vector constant would not tell its width."""
    return _apply(op, sort, _constant(a, BitVec(width)) if isinstance(a, int) else a, payload=payload)


def _constant(value: int, sort: Sort) -> Term:
    """A constant as a term, which constructors never make: an ITE of equal branches."""
    return intern(Op.ITE, (1, value, value), None, sort)


def _ite(condition: V, a: V, b: V, width: int | Sort) -> Applied:
    return _apply(Op.ITE, BitVec(width) if isinstance(width, int) else width, condition, a, b)


def _less_or_equal(op: Op) -> Callable[..., Applied]:
    return lambda a, b, width: (_not(intern(op, (b, a), width, BOOL)), BOOL)


def _extremum(largest: bool) -> Callable[..., Applied]:
    def extremum(a: V, b: V, sort: Float) -> Applied:
        lower, upper = (a, b) if largest else (b, a)
        other = _or(_of_floats(Op.FP_IS_NAN, (a,), BOOL, sort), _of_floats(Op.FP_LT, (lower, upper), BOOL, sort))
        return _apply(Op.ITE, sort, other, b, a)

    return extremum


def _select(array: Term, index: V) -> Applied:
    return _apply(Op.SELECT, BitVec(array_sort(array).element), array, index)


def _bits_from_fp(value: V, sort: Float, *fuel: int) -> Applied:
    floating = _constant(value, sort) if isinstance(value, int) else value
    return _apply(Op.BITS_FROM_FP, BitVec(sort.width), floating)


def _round(value: V, mode: RoundingMode, sort: Float) -> Applied:
    return _apply(Op.FP_ROUND, sort, value, payload=int(mode))


def _to_fp(a: V, source: Float, target: Float) -> Applied:
    return _of_floats(Op.FP_TO_FP, (a,), target, source), target


def _number_from_fp(op: Op) -> Callable[..., Applied]:
    return lambda a, sort, width: (_of_floats(op, (a,), BitVec(width), sort), BitVec(width))


_MEANING: Final[dict[str, Callable[..., Applied]]] = {
    "not_": lambda a: (_not(a), BOOL),
    "and_": lambda a, b, *fuel: (_and(a, b), BOOL),
    "or_": lambda a, b, *fuel: (_or(a, b), BOOL),
    "implies": lambda a, b: (_or(_not(a), b), BOOL),
    "xor_": lambda a, b: _apply(Op.XOR, BOOL, a, b),
    "iff": lambda a, b: (_not(intern(Op.XOR, (a, b), None, BOOL)), BOOL),
    "ite": _ite,
    "bool_to_bits": lambda condition, width: _ite(condition, 1, 0, width),
    "eq": _compare(Op.EQ),
    "ne": lambda a, b, width: (_not(intern(Op.EQ, (a, b), width, BOOL)), BOOL),
    "ult": _compare(Op.ULT),
    "slt": _compare(Op.SLT),
    "ule": _less_or_equal(Op.ULT),
    "sle": _less_or_equal(Op.SLT),
    "concat": lambda high, m, low, n: _apply(Op.CONCAT, BitVec(m + n), high, low, payload=n),
    "extract": lambda high, low, a, width, *fuel: _of_bits(Op.EXTRACT, a, width, BitVec(high - low + 1), low),
    "zext": lambda a, source, target: _of_bits(Op.ZEXT, a, source, BitVec(target), source),
    "sext": lambda a, source, target: _of_bits(Op.SEXT, a, source, BitVec(target), source),
    "select": _select,
    "store": lambda array, index, value: _apply(Op.STORE, array_sort(array), array, index, value),
    "constant_array": lambda sort, value: _apply(Op.CONSTANT_ARRAY, sort, value),
    "fp_from_bits": lambda bits, sort: _of_bits(Op.FP_FROM_BITS, bits, sort.width, sort),
    "bits_from_fp": _bits_from_fp,
    "fp_round_to_integral": _round,
    "fp_min": _extremum(largest=False),
    "fp_max": _extremum(largest=True),
    "fp_to_fp": _to_fp,
    "fp_from_signed": lambda a, width, sort: _of_bits(Op.FP_FROM_SIGNED, a, width, sort),
    "fp_from_unsigned": lambda a, width, sort: _of_bits(Op.FP_FROM_UNSIGNED, a, width, sort),
    "fp_to_signed": _number_from_fp(Op.FP_TO_SIGNED),
    "fp_to_unsigned": _number_from_fp(Op.FP_TO_UNSIGNED),
    "plain": lambda a: (a, BOOL),
    "owned": lambda address, owner, payload, width: (address, BitVec(width)),
    **{name: _vector(op) for name, op in [
        ("add", Op.ADD), ("sub", Op.SUB), ("neg", Op.NEG), ("mul", Op.MUL), ("udiv", Op.UDIV), ("urem", Op.UREM),
        ("sdiv", Op.SDIV), ("srem", Op.SREM), ("bvand", Op.BVAND), ("bvor", Op.BVOR), ("bvxor", Op.BVXOR),
        ("bvnot", Op.BVNOT), ("shl", Op.SHL), ("lshr", Op.LSHR), ("ashr", Op.ASHR),
    ]},
    **{name: _float(op) for name, op in [
        ("fp_add", Op.FP_ADD), ("fp_sub", Op.FP_SUB), ("fp_mul", Op.FP_MUL), ("fp_div", Op.FP_DIV),
        ("fp_rem", Op.FP_REM), ("fp_fma", Op.FP_FMA), ("fp_sqrt", Op.FP_SQRT), ("fp_neg", Op.FP_NEG),
        ("fp_abs", Op.FP_ABS),
    ]},
    **{name: _float_test(op) for name, op in [
        ("fp_eq", Op.FP_EQ), ("fp_lt", Op.FP_LT), ("fp_le", Op.FP_LE), ("fp_is_nan", Op.FP_IS_NAN),
        ("fp_is_inf", Op.FP_IS_INF), ("fp_is_zero", Op.FP_IS_ZERO), ("fp_is_negative", Op.FP_IS_NEGATIVE),
        ("fp_is_normal", Op.FP_IS_NORMAL), ("fp_is_subnormal", Op.FP_IS_SUBNORMAL),
    ]},
}  # fmt: skip
"""What each constructor of a value means, as an application of operators and its sort; owners are no part of it."""

UNCHANGED: Final = frozenset({"address", "variable", "flag", "split_constant", "surely_differ"})
"""Constructors that fold nothing, and questions about the form of a term."""
