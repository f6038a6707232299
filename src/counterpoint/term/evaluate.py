"""The value of a term under an assignment: independent of the constructors' rewriting, which it checks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

import immutables

from counterpoint.core.records import dataclass
from counterpoint.term import floating, meaning
from counterpoint.term.sorts import ArraySort, Float
from counterpoint.term.term import Op, RoundingMode, Term, TermError, V, argument_sorts
from counterpoint.term.walk import reachable_outside


@dataclass(frozen=True, slots=True)
class ArrayValue:
    """A concrete array: `default` everywhere but at the keys of `entries`."""

    default: int
    entries: immutables.Map[int, int]

    def __getitem__(self, index: int) -> int:
        return self.entries.get(index, self.default)

    def items(self) -> Iterator[tuple[int, int]]:
        """The entries, by index."""
        return iter(sorted(self.entries.items()))


Value: TypeAlias = int | ArrayValue
Given: TypeAlias = int | Mapping[int, int] | ArrayValue
Step: TypeAlias = Callable[[Term, Sequence[Any]], Value]

NOTHING: Final[Mapping[Any, Any]] = {}


def array_value(entries: Mapping[int, int], default: int = 0) -> ArrayValue:
    """The array with these entries."""
    return ArrayValue(default, immutables.Map(entries))


def evaluate(
    value: V,
    assignment: Mapping[str, Given],
    addresses: Mapping[int, int] = NOTHING,
    nan_bits: Mapping[Term, int] = NOTHING,
) -> Value:
    """The value of `value` where variables have the values of `assignment` (0 if absent).

    An array is given as a dict (0 elsewhere) or an ArrayValue. `addresses` gives the base addresses of
    memory objects (absent: 0); `nan_bits` the bits of BITS_FROM_FP terms whose float is the NaN (absent:
    `Float.nan`).
    """
    return evaluate_all((value,), assignment, addresses, nan_bits)[0]


def evaluate_all(
    values: Iterable[V],
    assignment: Mapping[str, Given],
    addresses: Mapping[int, int] = NOTHING,
    nan_bits: Mapping[Term, int] = NOTHING,
) -> list[Value]:
    """`evaluate` for several values at once; shared parts are done once."""
    return Evaluation(_leaves(assignment, addresses, nan_bits)).of(list(values))


def _leaves(
    assignment: Mapping[str, Given], addresses: Mapping[int, int], nan_bits: Mapping[Term, int]
) -> Callable[[Term], Given | None]:
    def leaf(term: Term) -> Given | None:
        if term.op is Op.VARIABLE:
            assert isinstance(term.payload, str)
            return assignment.get(term.payload)
        if term.op is Op.ADDRESS:
            assert isinstance(term.payload, int)
            return addresses.get(term.payload)
        return nan_bits.get(term)

    return leaf


class Evaluation:
    """Evaluates terms under one assignment and remembers every result.

    `leaf` gives the values of VARIABLEs and ADDRESSes, and the bits of BITS_FROM_FP terms whose float is the
    NaN; where it gives None, they are 0, and `Float.nan`.
    """

    def __init__(self, leaf: Callable[[Term], Given | None]) -> None:
        self._leaf = leaf
        self._done: dict[Term, Value] = {}

    def one(self, value: V) -> Value:
        """The value of one term."""
        if isinstance(value, int):
            return value
        found = self._done.get(value)
        return self.of((value,))[0] if found is None else found

    def of(self, values: Sequence[V]) -> list[Value]:
        """The values of `values`."""
        done = self._done
        for term in reachable_outside(values, done):
            op = term.op
            step = _STEPS.get(op)
            if step is not None:
                done[term] = step(term, [arg if type(arg) is int else done[arg] for arg in term.args])  # type: ignore[index]
            elif op is Op.BITS_FROM_FP:
                done[term] = self._bits(term)
            elif op is Op.VARIABLE or op is Op.ADDRESS:
                done[term] = self._nullary(term)
            else:
                raise TermError(f"{op.name} has no meaning on values")
        return [value if isinstance(value, int) else done[value] for value in values]

    def _nullary(self, term: Term) -> Value:
        given = self._leaf(term)
        if isinstance(term.sort, ArraySort):
            if given is None or isinstance(given, int):
                return array_value({}, given or 0)
            return given if isinstance(given, ArrayValue) else array_value(given)
        if given is None:
            return 0
        if not isinstance(given, int):
            raise TermError(f"{term} is no array")
        given &= term.sort.mask
        return floating.canonical(given, term.sort) if isinstance(term.sort, Float) else given

    def _bits(self, term: Term) -> int:
        (sort,) = argument_sorts(term)
        inner = term.args[0]
        bits = inner if isinstance(inner, int) else self._done[inner]
        assert isinstance(bits, int) and isinstance(sort, Float)
        if not floating.is_nan(bits, sort):
            return bits
        given = self._leaf(term)
        return given if isinstance(given, int) and floating.is_nan(given, sort) else sort.nan


def applied(term: Term, arguments: Sequence[Value]) -> Value:
    """What the term's operation gives for these values of its arguments. Raises TermError for one that is none on
    values alone.
    """
    step = _STEPS.get(term.op)
    if step is None:
        raise TermError(f"{term.op.name} has no meaning on values")
    return step(term, arguments)


def _fp(function: Callable[..., int]) -> Step:
    """A float operation on floats of the result's sort."""
    return lambda t, a: function(*a, t.sort)


def _fp_test(function: Callable[..., bool]) -> Step:
    """A Bool of floats."""
    return lambda t, a: int(function(*a, argument_sorts(t)[0]))


_STEPS: Final[dict[Op, Step]] = {
    Op.NOT: lambda t, a: 1 - a[0],
    Op.AND: lambda t, a: a[0] & a[1],
    Op.XOR: lambda t, a: a[0] ^ a[1],
    Op.ITE: lambda t, a: a[1] if a[0] else a[2],
    Op.EQ: lambda t, a: 1 if a[0] == a[1] else 0,
    Op.ULT: lambda t, a: 1 if a[0] < a[1] else 0,
    Op.SLT: lambda t, a: meaning.slt(a[0], a[1], t.payload),  # type: ignore[arg-type]
    Op.ADD: lambda t, a: a[0] + a[1] & t.sort.mask,  # type: ignore[union-attr]
    Op.SUB: lambda t, a: a[0] - a[1] & t.sort.mask,  # type: ignore[union-attr]
    Op.NEG: lambda t, a: -a[0] & t.sort.mask,  # type: ignore[union-attr]
    Op.MUL: lambda t, a: a[0] * a[1] & t.sort.mask,  # type: ignore[union-attr]
    Op.UDIV: lambda t, a: meaning.udiv(a[0], a[1], t.sort.width),  # type: ignore[union-attr]
    Op.UREM: lambda t, a: meaning.urem(a[0], a[1]),
    Op.SDIV: lambda t, a: meaning.sdiv(a[0], a[1], t.sort.width),  # type: ignore[union-attr]
    Op.SREM: lambda t, a: meaning.srem(a[0], a[1], t.sort.width),  # type: ignore[union-attr]
    Op.BVAND: lambda t, a: a[0] & a[1],
    Op.BVOR: lambda t, a: a[0] | a[1],
    Op.BVXOR: lambda t, a: a[0] ^ a[1],
    Op.BVNOT: lambda t, a: a[0] ^ t.sort.mask,  # type: ignore[union-attr]
    Op.SHL: lambda t, a: meaning.shl(a[0], a[1], t.sort.width),  # type: ignore[union-attr]
    Op.LSHR: lambda t, a: meaning.lshr(a[0], a[1], t.sort.width),  # type: ignore[union-attr]
    Op.ASHR: lambda t, a: meaning.ashr(a[0], a[1], t.sort.width),  # type: ignore[union-attr]
    Op.CONCAT: lambda t, a: a[0] << t.payload | a[1],
    Op.EXTRACT: lambda t, a: a[0] >> t.payload & t.sort.mask,  # type: ignore[union-attr]
    Op.ZEXT: lambda t, a: a[0],
    Op.SEXT: lambda t, a: meaning.sext(a[0], t.payload, t.sort.width),  # type: ignore[arg-type, union-attr]
    Op.OWNED: lambda t, a: a[0],
    Op.SELECT: lambda t, a: a[0][a[1]],
    Op.STORE: lambda t, a: ArrayValue(a[0].default, a[0].entries.set(a[1], a[2])),
    Op.CONSTANT_ARRAY: lambda t, a: array_value({}, a[0]),
    Op.FP_FROM_BITS: _fp(floating.canonical),
    Op.FP_ADD: _fp(floating.add),
    Op.FP_SUB: _fp(floating.sub),
    Op.FP_MUL: _fp(floating.mul),
    Op.FP_DIV: _fp(floating.div),
    Op.FP_REM: _fp(floating.remainder),
    Op.FP_FMA: _fp(floating.fma),
    Op.FP_SQRT: _fp(floating.sqrt),
    Op.FP_NEG: _fp(floating.neg),
    Op.FP_ABS: _fp(floating.absolute),
    Op.FP_ROUND: lambda t, a: floating.round_to_integral(a[0], RoundingMode(t.payload), t.sort),  # type: ignore[arg-type]
    Op.FP_EQ: _fp_test(floating.equal),
    Op.FP_LT: _fp_test(floating.less),
    Op.FP_LE: _fp_test(lambda a, b, sort: floating.less(a, b, sort) or floating.equal(a, b, sort)),
    Op.FP_IS_NAN: _fp_test(floating.is_nan),
    Op.FP_IS_INF: _fp_test(floating.is_inf),
    Op.FP_IS_ZERO: _fp_test(floating.is_zero),
    Op.FP_IS_NEGATIVE: _fp_test(floating.is_negative),
    Op.FP_IS_NORMAL: _fp_test(floating.is_normal),
    Op.FP_IS_SUBNORMAL: _fp_test(floating.is_subnormal),
    Op.FP_TO_FP: lambda t, a: floating.convert(a[0], argument_sorts(t)[0], t.sort),  # type: ignore[arg-type]
    Op.FP_FROM_SIGNED: lambda t, a: floating.from_signed(a[0], argument_sorts(t)[0].width, t.sort),  # type: ignore[arg-type, union-attr]
    Op.FP_FROM_UNSIGNED: lambda t, a: floating.from_unsigned(a[0], t.sort),  # type: ignore[arg-type]
    Op.FP_TO_SIGNED: lambda t, a: floating.to_signed(a[0], argument_sorts(t)[0], t.sort.width),  # type: ignore[arg-type, union-attr]
    Op.FP_TO_UNSIGNED: lambda t, a: floating.to_unsigned(a[0], argument_sorts(t)[0], t.sort.width),  # type: ignore[arg-type, union-attr]
}
