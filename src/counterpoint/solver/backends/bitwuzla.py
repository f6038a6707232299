"""Bitwuzla: big queries over bit-vectors, arrays and floats."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Final, TypeAlias

from counterpoint.core import clock
from counterpoint.core.records import dataclass
from counterpoint.solver.answers import SolverUnknown
from counterpoint.solver.assertions import AssertionStack, deferred_signals
from counterpoint.solver.protocol import Settings, Solver, SolverError
from counterpoint.term.evaluate import Given, array_value
from counterpoint.term.sorts import ArraySort, BitVec, Float, Sort
from counterpoint.term.term import Op, RoundingMode, Term

Native: TypeAlias = Any
"""A bitwuzla.Term; the package has no types."""


class _BitwuzlaTarget:
    """Builds Bitwuzla terms with one term manager."""

    def __init__(self, bitwuzla: Any) -> None:
        self.manager = bitwuzla.TermManager()
        self._make = self.manager.mk_term
        self._sorts: dict[Sort, Any] = {}
        kinds = bitwuzla.Kind
        modes = bitwuzla.RoundingMode
        self._modes = {
            RoundingMode.NEAREST_EVEN: self.manager.mk_rm_value(modes.RNE),
            RoundingMode.NEAREST_AWAY: self.manager.mk_rm_value(modes.RNA),
            RoundingMode.UPWARD: self.manager.mk_rm_value(modes.RTP),
            RoundingMode.DOWNWARD: self.manager.mk_rm_value(modes.RTN),
            RoundingMode.TOWARD_ZERO: self.manager.mk_rm_value(modes.RTZ),
        }
        self._plain = {op: getattr(kinds, name) for op, name in _PLAIN.items()}
        self._rounded = {op: getattr(kinds, name) for op, name in _ROUNDED.items()}
        self._kinds = kinds
        self._others = self._other_makers()

    def sort(self, sort: Sort) -> Any:
        found = self._sorts.get(sort)
        if found is None:
            manager = self.manager
            if isinstance(sort, BitVec):
                found = manager.mk_bv_sort(sort.width)
            elif isinstance(sort, Float):
                found = manager.mk_fp_sort(sort.exponent_bits, sort.significand_bits)
            elif isinstance(sort, ArraySort):
                found = manager.mk_array_sort(manager.mk_bv_sort(sort.index), manager.mk_bv_sort(sort.element))
            else:
                found = manager.mk_bool_sort()
            self._sorts[sort] = found
        return found

    def constant(self, value: int, sort: Sort) -> Native:
        if isinstance(sort, BitVec):
            return self.manager.mk_bv_value(self.sort(sort), str(value), 10)
        if isinstance(sort, Float):
            bits = self.manager.mk_bv_value(self.manager.mk_bv_sort(sort.width), str(value), 10)
            return self._float_of(bits, sort)
        return self.manager.mk_true() if value else self.manager.mk_false()

    def unknown(self, name: str, sort: Sort) -> Native:
        return self.manager.mk_const(self.sort(sort), name)

    def _float_of(self, bits: Native, sort: Float) -> Native:
        indices = [sort.exponent_bits, sort.significand_bits]
        return self._make(self._kinds.FP_TO_FP_FROM_BV, [bits], indices)

    def has_bits(self, bits: Native, value: Native, term: Term) -> Native:
        inner = term.args[0]
        assert isinstance(inner, Term) and isinstance(inner.sort, Float)
        return self._make(self._kinds.EQUAL, [self._float_of(bits, inner.sort), value])

    def apply(self, term: Term, args: list[Native]) -> Native:
        op = term.op
        kind = self._plain.get(op)
        if kind is not None:
            return self._make(kind, args)
        kind = self._rounded.get(op)
        if kind is not None:
            return self._make(kind, [self._modes[RoundingMode.NEAREST_EVEN], *args])
        return self._others[op](term, args)

    def _other_makers(self) -> dict[Op, Callable[[Term, list[Native]], Native]]:
        make, kinds, modes = self._make, self._kinds, self._modes
        nearest, zero = modes[RoundingMode.NEAREST_EVEN], modes[RoundingMode.TOWARD_ZERO]

        def format_of(term: Term) -> list[int]:
            assert isinstance(term.sort, Float)
            return [term.sort.exponent_bits, term.sort.significand_bits]

        def added(term: Term) -> list[int]:
            assert isinstance(term.sort, BitVec) and isinstance(term.payload, int)
            return [term.sort.width - term.payload]

        def bounds(term: Term) -> list[int]:
            assert isinstance(term.sort, BitVec) and isinstance(term.payload, int)
            return [term.payload + term.sort.width - 1, term.payload]

        def width(term: Term) -> list[int]:
            assert isinstance(term.sort, BitVec)
            return [term.sort.width]

        def mode(term: Term) -> Native:
            assert isinstance(term.payload, int)
            return modes[RoundingMode(term.payload)]

        return {
            Op.EXTRACT: lambda t, a: make(kinds.BV_EXTRACT, a, bounds(t)),
            Op.ZEXT: lambda t, a: make(kinds.BV_ZERO_EXTEND, a, added(t)),
            Op.SEXT: lambda t, a: make(kinds.BV_SIGN_EXTEND, a, added(t)),
            Op.CONSTANT_ARRAY: lambda t, a: self.manager.mk_const_array(self.sort(t.sort), a[0]),
            Op.FP_ROUND: lambda t, a: make(kinds.FP_RTI, [mode(t), *a]),
            Op.FP_FROM_BITS: lambda t, a: make(kinds.FP_TO_FP_FROM_BV, a, format_of(t)),
            Op.FP_TO_FP: lambda t, a: make(kinds.FP_TO_FP_FROM_FP, [nearest, *a], format_of(t)),
            Op.FP_FROM_SIGNED: lambda t, a: make(kinds.FP_TO_FP_FROM_SBV, [nearest, *a], format_of(t)),
            Op.FP_FROM_UNSIGNED: lambda t, a: make(kinds.FP_TO_FP_FROM_UBV, [nearest, *a], format_of(t)),
            Op.FP_TO_SIGNED: lambda t, a: make(kinds.FP_TO_SBV, [zero, *a], width(t)),
            Op.FP_TO_UNSIGNED: lambda t, a: make(kinds.FP_TO_UBV, [zero, *a], width(t)),
        }


_PLAIN: Final = {
    Op.NOT: "NOT", Op.AND: "AND", Op.XOR: "XOR", Op.ITE: "ITE", Op.EQ: "EQUAL", Op.ULT: "BV_ULT",
    Op.SLT: "BV_SLT", Op.ADD: "BV_ADD", Op.SUB: "BV_SUB", Op.NEG: "BV_NEG", Op.MUL: "BV_MUL",
    Op.UDIV: "BV_UDIV", Op.UREM: "BV_UREM", Op.SDIV: "BV_SDIV", Op.SREM: "BV_SREM", Op.BVAND: "BV_AND",
    Op.BVOR: "BV_OR", Op.BVXOR: "BV_XOR", Op.BVNOT: "BV_NOT", Op.SHL: "BV_SHL", Op.LSHR: "BV_SHR",
    Op.ASHR: "BV_ASHR", Op.CONCAT: "BV_CONCAT", Op.SELECT: "ARRAY_SELECT", Op.STORE: "ARRAY_STORE",
    Op.FP_REM: "FP_REM", Op.FP_NEG: "FP_NEG", Op.FP_ABS: "FP_ABS", Op.FP_EQ: "FP_EQUAL", Op.FP_LT: "FP_LT",
    Op.FP_LE: "FP_LEQ", Op.FP_IS_NAN: "FP_IS_NAN", Op.FP_IS_INF: "FP_IS_INF", Op.FP_IS_ZERO: "FP_IS_ZERO",
    Op.FP_IS_NEGATIVE: "FP_IS_NEG", Op.FP_IS_NORMAL: "FP_IS_NORMAL", Op.FP_IS_SUBNORMAL: "FP_IS_SUBNORMAL",
}  # fmt: skip
_ROUNDED: Final = {
    Op.FP_ADD: "FP_ADD", Op.FP_SUB: "FP_SUB", Op.FP_MUL: "FP_MUL", Op.FP_DIV: "FP_DIV", Op.FP_FMA: "FP_FMA",
    Op.FP_SQRT: "FP_SQRT",
}  # fmt: skip


SHORT, WAITING = 5.0, 2.0
"""Seconds of a limit that means work, and how many times longer it may take where others use the CPU as well."""


class _BitwuzlaSolver(AssertionStack[Native]):
    """One Bitwuzla instance with incremental solving, models and unsat assumptions."""

    name = "bitwuzla"

    def __init__(self, settings: Settings) -> None:
        import bitwuzla

        target = _BitwuzlaTarget(bitwuzla)
        super().__init__(target, settings)
        option = bitwuzla.Option
        options = bitwuzla.Options()
        options.set(option.PRODUCE_MODELS, True)
        options.set(option.PRODUCE_UNSAT_ASSUMPTIONS, True)
        options.set(option.SEED, settings.seed % 2**32)
        options.set(option.PP_NORMALIZE, settings.normalize)
        if settings.memory_megabytes:
            options.set(option.MEMORY_LIMIT, settings.memory_megabytes)
        self.failure = bitwuzla.BitwuzlaException
        self._results = bitwuzla.Result
        self._kinds = bitwuzla.Kind
        self._solver = bitwuzla.Bitwuzla(target.manager, options)
        self._stopped = False
        self._deadline: float | None = None
        self._latest = self._work = 0.0
        self._solver.configure_terminator(self._must_end)

    def interrupt(self) -> None:
        self._stopped = True

    def close(self) -> None:
        super().close()
        self._solver = None

    def _must_end(self) -> bool:
        """Called by Bitwuzla some ten thousand times a second; an exception in here would be lost."""
        return self._stopped or (self._deadline is not None and clock.now() >= self._deadline and self._worked())

    def _worked(self) -> bool:
        """Of a limit whose time has passed: a short one means work, for which a busy machine takes longer."""
        return clock.now() >= self._latest or time.process_time() >= self._work

    def _assert_native(self, formula: Native) -> None:
        self._solver.assert_formula(formula)

    def _push_native(self) -> None:
        self._solver.push(1)

    def _pop_native(self) -> None:
        self._solver.pop(1)

    def _check_native(self, assumptions: list[Native], seconds: float | None) -> list[bool] | SolverUnknown | None:
        now, limit = clock.now(), seconds or 0.0
        self._deadline = None if seconds is None else now + limit
        self._latest = now + limit * (WAITING if limit <= SHORT else 1.0)
        self._work = time.process_time() + limit
        try:
            with deferred_signals(self.interrupt):
                result = self._solver.check_sat(*assumptions)
        finally:
            stopped, self._stopped = self._stopped, False
        if result == self._results.SAT:
            return None
        if result == self._results.UNSAT:
            return [self._solver.is_unsat_assumption(assumption) for assumption in assumptions]
        if stopped:
            return SolverUnknown("interrupted")
        late = self._deadline is not None and clock.now() >= self._deadline and self._worked()
        return SolverUnknown("timeout" if late else "memory" if self._settings.memory_megabytes else "incomplete")

    def _native_value(self, leaf: Term, native: Native) -> Given:
        value = self._solver.get_value(native)
        if isinstance(leaf.sort, ArraySort):
            return self._array(value)
        if isinstance(leaf.sort, Float):
            return int(value.value(2, False), 2)
        return int(value.value(2), 2) if isinstance(leaf.sort, BitVec) else int(value.value())

    def _array(self, value: Native) -> Given:
        """Stores over a constant array, the outermost store winning."""
        entries: dict[int, int] = {}
        while value.kind() == self._kinds.ARRAY_STORE:
            value, index, element = value.children()
            entries.setdefault(int(index.value(2), 2), int(element.value(2), 2))
        if value.kind() != self._kinds.CONST_ARRAY:
            raise SolverError(f"bitwuzla: the value of an array is {value.kind()}")
        return array_value(entries, int(value.children()[0].value(2), 2))


@dataclass(frozen=True, slots=True)
class _Bitwuzla:
    name: str = "bitwuzla"

    def connect(self, settings: Settings) -> Solver:
        return _BitwuzlaSolver(settings)


BACKEND: Final = _Bitwuzla()
